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

# Adds up, over many lines.
def large(rows)
  total = 0
  total += rows[0] * 0 if rows.length > 0
  total += rows[1] * 1 if rows.length > 1
  total += rows[2] * 2 if rows.length > 2
  total += rows[3] * 3 if rows.length > 3
  total += rows[4] * 4 if rows.length > 4
  total += rows[5] * 5 if rows.length > 5
  total += rows[6] * 6 if rows.length > 6
  total += rows[7] * 7 if rows.length > 7
  total += rows[8] * 8 if rows.length > 8
  total += rows[9] * 9 if rows.length > 9
  total += rows[10] * 10 if rows.length > 10
  total += rows[11] * 11 if rows.length > 11
  total += rows[12] * 12 if rows.length > 12
  total += rows[13] * 13 if rows.length > 13
  total += rows[14] * 14 if rows.length > 14
  total += rows[15] * 15 if rows.length > 15
  total += rows[16] * 16 if rows.length > 16
  total += rows[17] * 17 if rows.length > 17
  total += rows[18] * 18 if rows.length > 18
  total += rows[19] * 19 if rows.length > 19
  total += rows[20] * 20 if rows.length > 20
  total += rows[21] * 21 if rows.length > 21
  total += rows[22] * 22 if rows.length > 22
  total += rows[23] * 23 if rows.length > 23
  total += rows[24] * 24 if rows.length > 24
  total += rows[25] * 25 if rows.length > 25
  total += rows[26] * 26 if rows.length > 26
  total += rows[27] * 27 if rows.length > 27
  total += rows[28] * 28 if rows.length > 28
  total += rows[29] * 29 if rows.length > 29
  total += rows[30] * 30 if rows.length > 30
  total += rows[31] * 31 if rows.length > 31
  total += rows[32] * 32 if rows.length > 32
  total += rows[33] * 33 if rows.length > 33
  total += rows[34] * 34 if rows.length > 34
  total += rows[35] * 35 if rows.length > 35
  total += rows[36] * 36 if rows.length > 36
  total += rows[37] * 37 if rows.length > 37
  total += rows[38] * 38 if rows.length > 38
  total += rows[39] * 39 if rows.length > 39
  total += rows[40] * 40 if rows.length > 40
  total += rows[41] * 41 if rows.length > 41
  total += rows[42] * 42 if rows.length > 42
  total += rows[43] * 43 if rows.length > 43
  total += rows[44] * 44 if rows.length > 44
  total += rows[45] * 45 if rows.length > 45
  total += rows[46] * 46 if rows.length > 46
  total += rows[47] * 47 if rows.length > 47
  total += rows[48] * 48 if rows.length > 48
  total += rows[49] * 49 if rows.length > 49
  total += rows[50] * 50 if rows.length > 50
  total += rows[51] * 51 if rows.length > 51
  total += rows[52] * 52 if rows.length > 52
  total += rows[53] * 53 if rows.length > 53
  total += rows[54] * 54 if rows.length > 54
  total += rows[55] * 55 if rows.length > 55
  total += rows[56] * 56 if rows.length > 56
  total += rows[57] * 57 if rows.length > 57
  total += rows[58] * 58 if rows.length > 58
  total += rows[59] * 59 if rows.length > 59
  total
end
