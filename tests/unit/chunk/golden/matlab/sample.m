% Shapes and their areas.
function result = area(shape, factor)
% AREA The area of a shape, "Größe".
%   It is never negative.
    if nargin < 2
        factor = 1;
    end
    result = square(shape.radius) * pi * factor;

    function y = nested(x)
        y = x + 1;
    end
end

% Squares a number.
function y = square(x)
    y = x .^ 2;
end

function [first, second] = both(list)
    first = list(1);
    second = list(2);
end

function show()
    disp('é 🎉');
end

function noend_style = later(a, ...
        b)
    noend_style = a + b;
end

function varargout = many(varargin)
    handle = @(x) x * 2;
    for k = 1:numel(varargin)
        varargout{k} = handle(varargin{k});
    end
end

%% A section
% that says little.
function last(obj, value)
    obj.Name = value;
end
