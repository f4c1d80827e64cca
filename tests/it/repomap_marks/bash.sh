count=0
readonly LIMIT=1
main() { pure; }
pure() { local y=1; echo "$y" >/dev/null 2>&1; }
next() { count=1; }
load() { cat "$1" > out.txt; }
start() { sudo true; }
dial() { curl -s x; }
later() { pure & wait; }
wget x
