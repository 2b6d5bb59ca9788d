%% A counter as a process.
-module(counter).
-behaviour(gen_server).

-export([start/1, add/2]).
-import(lists, [map/2]).
-include("common.hrl").

-define(LIMIT, 100).
-define(SQUARE(X), X * X).

%% What is counted.
-record(state, {
    count = 0 :: integer(),
    name :: string()
}).

-type amount() :: pos_integer().
-opaque secret() :: binary().

-callback init(Args :: term()) -> {ok, term()}.

%%% @doc Starts a counter.
%%% It begins with zero, "für alle".
-spec start(string()) -> {ok, pid()}.
start(Name) ->
    gen_server:start_link(?MODULE, #state{name = Name}, []).

% Adds to it.
add(Pid, 0) ->
    Pid;
add(Pid, N) when N < ?LIMIT ->
    gen_server:call(Pid, {add, N});
add(_Pid, _N) ->
    {error, "too much 🎉"}.

init(State) -> {ok, State}.

handle_call({add, N}, _From, S = #state{count = C}) ->
    Sum = fun(A, B) -> A + B end,
    {reply, ok, S#state{count = Sum(C, N)}}.

'quoted name'() -> ok.

-ifdef(TEST).
-include_lib("eunit/include/eunit.hrl").

add_test() ->
    ?assertEqual(ok, add(1, 0)).
-endif.
