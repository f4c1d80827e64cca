# frozen_string_literal: true

require 'net/smtp'

# Sends mail.
module Mail
  DEFAULT_PORT = 25

  class Error < StandardError; end

  # One message.
  class Message < Base::Record
    include Comparable
    attr_reader :to

    # Makes one.
    def initialize(to:, subject: 'none', **rest)
      @to = to
      check!(to)
    end

    def self.build(*args, &block)
      new(*args).tap(&block)
    end

    def valid?
      Checker.call(to) && !to.empty?
    end

    def ==(other) = to == other.to

    private

    def check!(address)
      raise Error, "bad" unless address
    end
  end
end

class Mail::Queue
  def push message
    deliver message
  end
end

def deliver(message)
  Net::SMTP.start('localhost') { |smtp| smtp.send_message(message.to) }
end
