/// A shopping cart.
library cart;

import 'dart:io';
import 'package:shop/price.dart';

typedef Total = int Function(Cart cart);

const int limit = 20;

/// What a line of the cart is.
enum LineKind { product, voucher }

/// Something with a price.
abstract class Priced {
  /// The price in cents.
  int get cents;
}

mixin Logging {
  void log(String text) => stderr.writeln(text);
}

/// A cart with its lines.
class Cart extends Priced with Logging {
  final List<Line> _lines = [];

  Cart();

  /// Reads a cart from a file.
  factory Cart.read(String path) {
    final text = File(path).readAsStringSync();
    return parse(text);
  }

  @override
  int get cents => _lines.fold(0, (sum, line) => sum + line.cents);

  /// Adds a line.
  void add(Line line) {
    if (_lines.length >= limit) throw StateError('full');
    _lines.add(line);
  }

  void _clear() {
    _lines.clear();
  }

  operator +(Line line) {
    add(line);
    return this;
  }
}

class Line {
  final int cents;
  const Line(this.cents);
}

extension Rounding on int {
  int rounded() => this ~/ 100;
}

// Not documentation.
Cart parse(String text) => Cart();

Future<void> main(List<String> args) async {
  final cart = Cart.read(args[0]);
  await Process.run('print', [cart.cents.toString()]);
}
