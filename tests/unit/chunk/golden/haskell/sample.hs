{-# LANGUAGE GADTs #-}
-- | Rate limits.
module Example.Limits
  ( Bucket (..)
  , take'
  ) where

import qualified Data.Map as Map
import Data.List (sortBy, foldl')

-- | How many.
limit :: Int
limit = 100

größe :: String
größe = "🎉"

-- | A name.
type Name = String

-- | A bucket
-- that leaks.
data Bucket a = Bucket
  { size :: Int -- ^ How many fit.
  , items :: [a]
  }
  | Empty
  deriving (Show, Eq)

newtype Wrapper f a = Wrapper { unwrap :: f a }

data Term a where
  Lit :: Int -> Term Int
  Add :: Term Int -> Term Int -> Term Int

-- | Keeps.
class Monad m => Store m where
  type Key m
  -- | Looks up.
  get :: Key m -> m (Maybe String)
  put :: Key m -> String -> m ()
  put _ _ = pure ()

instance Store IO where
  type Key IO = String
  get key = pure (Just key)

instance Show a => Show (Wrapper Maybe a) where
  show _ = "Wrapper"

-- | Takes one.
take' :: Ord a => Int -> Bucket a -> Maybe a
take' _ Empty = Nothing
take' n (Bucket size items)
  | n > size = Nothing
  | otherwise = helper n
  where
    helper 0 = Nothing
    helper x = Just (items !! x)

infixr 5 <+>
(<+>) :: Int -> Int -> Int
a <+> b = a + b

a `plus` b = a + b

x, y :: Int
x = 1
y = 2
(p, q) = (1, 2)

pointFree = map (\x -> x + 1) . filter even

main :: IO ()
main = do
  let local = 1
  print local

type family Elem c
type instance Elem [e] = e

pattern Pair a b = (a, b)

foreign import ccall "sin" c_sin :: Double -> Double

spec :: Spec
spec = describe "Bucket" $ do
  it "takes one" $ 1 `shouldBe` 1
