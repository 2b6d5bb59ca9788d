# frozen_string_literal: true

require "json"
require_relative "limits/base"

# How many requests a client may make.
LIMIT = 100
größe = "🎉"

# Rate limits.
module Limits
  VERSION = "1.0"
  Error = Class.new(StandardError)
  Pair = Struct.new(:first, :second) do
    def swap = Pair.new(second, first)
  end

  # A bucket that leaks.
  #
  # It leaks.
  class Bucket < Base::Store
    include Comparable
    extend Forwardable

    # How many fit.
    attr_reader :size, :items
    attr_accessor :name
    SIZES = { small: 1 }.freeze

    class << self
      # Makes one.
      def build(*args, **options, &block)
        new(*args)
      end
    end

    def self.of(size) = new(size)

    # Starts.
    def initialize(size = LIMIT, name: "é")
      @size = size
      LOCAL = 1
    end

    def full?
      @size.zero?
    end

    def name=(value)
      @name = value
    end

    def <=>(other) = size <=> other.size

    def [](index)
      items[index]
    end

    # Takes one.
    private def take(count)
      each_item { |item| item }
      helper = ->(x) { x + 1 }
      def nested; end
    end

    protected

    def +(other); end
    def !; end
    alias_method :plus, :+
    alias full full?
    define_method(:dynamic) { |a| a }
    scope :recent, -> { where(recent: true) }

    class Inner::Deep; end
    class NotFound < StandardError; end
  end
end

class Limits::Extra
  def call; end
end

def Limits.helper(x)
  x
end

def top_level(a, b = 2) = a + b

RSpec.describe Limits::Bucket do
  let(:bucket) { described_class.new(1) }

  describe "#take" do
    it "takes one" do
      expect(bucket.take(1)).to eq(1)
    end
    context "when empty" do
      specify("stops") { nil }
    end
  end
end

class BucketTest < Minitest::Test
  test "is comparable" do
    assert true
  end

  def test_full
    assert true
  end
end

namespace :db do
  desc "Migrates."
  task migrate: :environment do
    run
  end
end
