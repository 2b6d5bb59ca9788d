// Messages of a library.
namespace py library
namespace java org.library

include "common.thrift"

const i32 LIMIT = 100
const map<string, string> NAMES = {"a": "Größe 🎉"}

typedef i64 BookId
typedef list<string> Names

/**
 * Kinds of books.
 */
enum Kind {
  NOVEL = 1,
  POEM = 2
}

# A book, "Büchlein".
struct Book {
  1: required BookId id,
  2: optional string title = "ohne Titel",
  3: list<string> authors,
  4: map<string, i32> ratings
}

union Cover {
  1: binary image,
  2: string url
}

// Nothing was found.
exception NotFound {
  1: string message
}

service Base {
  void ping()
}

/** Looks for books. */
service Library extends Base {
  // Finds one.
  Book find(1: BookId id) throws (1: NotFound missing),

  /* All of them. */
  list<Book> all(),

  oneway void forget(1: BookId id)
}
