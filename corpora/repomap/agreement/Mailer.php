<?php

namespace App\Mail;

interface Transport
{
    public function send(Message $message): bool;

    public function name(): string;
}

trait Logs
{
    private array $lines = [];

    protected function log(string $line): void
    {
        $this->lines[] = $line;
    }

    public function lines(): array
    {
        return $this->lines;
    }
}

final class Message
{
    private string $to;
    private string $body;

    public function __construct(string $to, string $body)
    {
        $this->to = $to;
        $this->body = $body;
    }

    public function to(): string
    {
        return $this->to;
    }

    public static function plain(string $to, string $body): self
    {
        return new self($to, strip_tags($body));
    }
}

abstract class BaseTransport implements Transport
{
    use Logs;

    abstract protected function deliver(Message $message): bool;

    public function send(Message $message): bool
    {
        $this->log($message->to());
        return $this->deliver($message);
    }
}

class FileTransport extends BaseTransport
{
    private string $folder;

    public function __construct(string $folder)
    {
        $this->folder = $folder;
    }

    public function name(): string
    {
        return 'file';
    }

    protected function deliver(Message $message): bool
    {
        return file_put_contents($this->folder . '/' . md5($message->to()), 'x') !== false;
    }
}

function transport(string $folder): Transport
{
    return new FileTransport($folder);
}

function send_all(Transport $transport, array $messages): int
{
    $sent = 0;
    foreach ($messages as $message) {
        $sent += $transport->send($message) ? 1 : 0;
    }
    return $sent;
}
