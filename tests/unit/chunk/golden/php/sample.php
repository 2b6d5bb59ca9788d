<?php

declare(strict_types=1);

namespace App\Limits;

use App\Base;
use App\{One, Two as Deux};
use function App\helper;

/** How many. */
const LIMIT = 100;
define('GRÖSSE', '🎉');

/**
 * A bucket that leaks.
 *
 * @template T
 */
#[Entity(table: "buckets")]
final class Bucket extends Base implements Store, \Countable
{
    use Loggable;

    /** How many fit. */
    public const SIZE = 3, OTHER = 4;
    private const string NAME = 'é';

    /** @var int[] */
    private array $items = [];
    public static ?int $count = null;
    protected readonly string $a, $b;

    /** Makes one. */
    public function __construct(private int $size = self::SIZE, public readonly string $name = '')
    {
    }

    /**
     * Takes one.
     *
     * @param callable $map
     */
    #[Pure]
    public static function take(callable $map, int ...$counts): ?static
    {
        $closure = function ($x) use ($map) { return $map($x); };
        $arrow = fn($x) => $x * 2;
        $anonymous = new class extends Base { public function inner() {} };
        function nested() {}
        return $closure($arrow(1));
    }

    abstract protected function missing(): void;
    public function &reference(array &$a) { return $a; }
    public function __toString(): string { return ''; }
    public function count(): int { return count($this->items); }
    public string $full { get => 'x'; set(string $v) { $this->full = $v; } }
}

/** Keeps. */
interface Store extends \Traversable
{
    const KEY = 'k';
    public function get(string $key): mixed;
}

trait Loggable
{
    protected $log = [];
    public function log(string $m): void {}
}

/** Levels. */
enum Level: string implements Store
{
    case Low = 'low';
    /** Not too high. */
    case High = 'high';
    const DEFAULT = self::Low;
    public static function of(string $s): self { return self::from($s); }
}

// Adds.
function add(int $a, int|float $b = 2): int|float { return $a + $b; }

if (!function_exists('polyfill')) {
    function polyfill() {}
}

$handler = function (Request $r): Response { return new Response(); };
$plain = 3;

it('takes one', function () { expect(1)->toBe(1); });
test("stops", fn () => expect(true)->toBeTrue());
