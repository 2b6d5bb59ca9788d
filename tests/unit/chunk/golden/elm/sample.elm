port module Garden exposing (Model, Msg(..), view, update)

{-| A garden, "Gärten".

@docs Model
-}

import Html exposing (Html, div, text)
import Html.Attributes as Attr
import Dict


{-| What is planted.
-}
type alias Model =
    { plants : List Plant
    , size : Int
    }


type Plant
    = Rose
    | Tulip Int
    | Named String


-- What can happen.
type Msg
    = Grow
    | Water Int


limit : Int
limit =
    100


{-| Changes the garden.
It never shrinks.
-}
update : Msg -> Model -> Model
update msg model =
    let
        bigger x =
            x + 1

        local : Int
        local =
            3
    in
    case msg of
        Grow ->
            { model | size = bigger model.size }

        Water n ->
            { model | size = model.size + n + local }


view : Model -> Html Msg
view model =
    div [ Attr.class "größe" ] [ text "🎉" ]


unsigned a b =
    a + b



port save : String -> Cmd msg


