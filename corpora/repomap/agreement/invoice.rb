# frozen_string_literal: true

require "json"

module Billing
  # Why an invoice isn't issued.
  class Refused < StandardError
  end

  # A line of an invoice.
  class Line
    attr_reader :text, :cents

    def initialize(text, cents)
      @text = text
      @cents = cents
    end

    def free?
      cents.zero?
    end

    def to_s
      "#{text}: #{cents}"
    end
  end

  class Invoice
    def self.parse(json)
      data = JSON.parse(json)
      new(data.map { |line| Line.new(line["text"], line["cents"]) })
    end

    def initialize(lines)
      @lines = lines
      @paid = false
    end

    def total
      @lines.sum(&:cents)
    end

    def pay!(cents)
      raise Refused, "too little" if cents < total

      @paid = true
    end

    def paid?
      @paid
    end

    def [](index)
      @lines[index]
    end

    def ==(other)
      other.total == total
    end

    private

    def positive
      @lines.reject(&:free?)
    end
  end

  module Report
    def self.text(invoice)
      "total #{invoice.total}"
    end
  end
end

def load_invoice(path)
  Billing::Invoice.parse(File.read(path))
end

def main
  puts Billing::Report.text(load_invoice("invoice.json"))
end
