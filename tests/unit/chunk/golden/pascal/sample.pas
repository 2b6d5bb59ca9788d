{ Shapes and their areas. }
unit Shapes;

interface

uses
  SysUtils, Classes;

const
  Limit = 100;
  Greeting: string = 'Grüße 🎉';

resourcestring
  SMissing = 'fehlt';

type
  { What has an area. }
  IArea = interface
    function Area: Double;
  end;

  TKind = (skRound, skSquare);
  TKinds = set of TKind;
  PShape = ^TShape;

  TPoint = record
    X, Y: Double;
  end;

  // A shape, "Größe".
  TShape = class(TObject, IArea)
  private
    FName: string;
    procedure SetName(const Value: string);
  public
    constructor Create(const AName: string);
    destructor Destroy; override;
    function Area: Double; virtual; abstract;
    class function Make: TShape; static;
    property Name: string read FName write SetName;
  end;

  TCallback = procedure(Sender: TObject) of object;

var
  Count: Integer = 0;

// Adds two numbers.
function Add(A, B: Integer): Integer;

implementation

function Add(A, B: Integer): Integer;
var
  Sum: Integer;

  function Inner(X: Integer): Integer;
  begin
    Result := X;
  end;

begin
  Sum := Inner(A) + B;
  Result := Sum;
end;

{ Makes a shape. }
constructor TShape.Create(const AName: string);
begin
  inherited Create;
  FName := AName;
end;

destructor TShape.Destroy;
begin
  inherited;
end;

procedure TShape.SetName(const Value: string);
begin
  FName := Value;
end;

class function TShape.Make: TShape;
begin
  Result := nil;
end;

initialization
  Count := 1;

end.
