# doc
class A < B
  C = 1
  def initialize; x = 1; end
  def self.s; end
end
module M; end
