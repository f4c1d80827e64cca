<?php
function pure($x) { $y = $x; return $y; }
function next_one() { global $count; $count++; }
function load($p) { return file_get_contents($p); }
function start() { shell_exec('x'); }
function dial() { curl_init(); }
function later() { new Fiber('f'); }
function page() { return $_GET['x']; }
