package Garden::Bed;

use strict;
use warnings;
use List::Util qw(sum max);
use constant DEPTH => 30;
use constant { ROWS => 4, COLUMNS => 6 };

our $VERSION = '1.02';
our @EXPORT_OK = qw(area volume);
my $count = 0;

# Makes an empty bed.
# The name may hold umlauts: "Gemüsebeet".
sub new {
    my ($class, %args) = @_;
    my $self = { name => $args{name} // 'Beet', plants => [] };
    $count++;
    return bless $self, $class;
}

=head2 area

The surface in square metres.

=cut

sub area {
    my ($length, $width) = @_;
    return $length * $width;
}

sub volume($length, $width, $height = DEPTH) {
    my $inner = sub { return $_[0] * $_[1] };
    return $inner->($length, $width) * $height / 100;
}

# Declared here, defined by AUTOLOAD.
sub later;

my $sort_by_name = sub {
    my @names = map { $_->{name} } @_;
    return sort @names;
};

sub _private_größe : lvalue {
    my $self = shift;
    $self->{size};
}

package Garden::Tool {
    # A tool has an edge.
    sub sharpen { return "✂ $_[0]" }
}

BEGIN {
    print "loading\n";
}

package main;

sub run { print Garden::Bed::area(2, 3), "\n" }

1;
__END__
sub not_code {}
