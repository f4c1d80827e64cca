<?php

declare(strict_types=1);

namespace App\Http;

use App\Store\Cache;
use Psr\Log\LoggerInterface as Logger;

const VERSION = '1.0';

/**
 * Finds routes.
 *
 * @package App
 */
#[Service]
final class Router extends Base implements Matcher
{
    use Cached;

    public const LIMIT = 10;
    private array $routes = [];

    public function __construct(private readonly Cache $cache) {}

    /** Finds one. */
    #[Pure]
    public function find(string $path, ?Request $request = null): ?Route
    {
        $found = $this->lookup($path);
        $this->cache?->put($path, $found);
        return $found ?? Route::none(VERSION);
    }

    private static function lookup(string $path): ?Route
    {
        return new Route(normalise($path));
    }
}

interface Matcher
{
    public function find(string $path): ?Route;
}

trait Cached { protected function key(): string { return self::class; } }

enum Method: string { case Get = 'GET'; public function label(): string { return $this->value; } }

// Removes slashes.
function normalise(string $path): string
{
    return \trim($path, '/');
}
