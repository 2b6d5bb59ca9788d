module M where
import Data.List
-- | doc
f :: Int -> Int
f 0 = 1
f x = let y = 2 in y
data T = A | B
class C a where
  m :: a
instance C T where
  m = A
