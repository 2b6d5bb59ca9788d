# Messages of a library.
@0xdbb9ad1f14bf0b36;

using Cxx = import "/capnp/c++.capnp";
using Common = import "common.capnp";

$Cxx.namespace("library");

const limit :UInt32 = 100;
const greeting :Text = "Grüße 🎉";

# A book, "Büchlein".
# It has pages.
struct Book {
  id @0 :UInt64;
  title @1 :Text = "ohne Titel";
  authors @2 :List(Text);
  kind @3 :Kind;

  # Kinds of books.
  enum Kind {
    novel @0;
    poem @1;
  }

  cover :union {
    image @4 :Data;
    url @5 :Text;
  }

  struct Shelf {
    room @0 :Text;
    row @1 :Int32;
  }

  shelf :group {
    left @6 :Int32;
    right @7 :Int32;
  }
}

enum Language {
  german @0;
  french @1;
}

# Looks for books.
interface Library {
  # Finds one.
  find @0 (id :UInt64) -> (book :Book);
  all @1 () -> (books :List(Book));
}

interface Large extends(Library) {
  count @0 () -> (n :UInt64);
}

annotation marked(struct, field) :Text;
