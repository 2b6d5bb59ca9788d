# A package and its module.
{ lib
, stdenv
, fetchurl
, extra ? null
}:

let
  # Which version, "Fassung".
  version = "1.2";

  # Doubles a number.
  double = x: x * 2;

  add = a: b:
    a + b;

  /* Makes a greeting. */
  greet = { name, punctuation ? "!" }: ''
    Hallo, ${name}${punctuation} 🎉
  '';

  inherit (lib) licenses;
in
stdenv.mkDerivation rec {
  pname = "garden";
  inherit version;

  src = fetchurl {
    url = "https://example.org/garden-${version}.tar.gz";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  buildInputs = [ extra ];

  # Builds it.
  buildPhase = ''
    make PREFIX=$out
  '';

  passthru.tests.simple = double 3;

  "quoted name" = 1;

  meta = with lib; {
    description = "Gärten";
    license = licenses.mit;
    platforms = platforms.linux;
  };
}
