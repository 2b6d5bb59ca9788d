// Licence.
using System;
using Json = System.Text.Json.JsonSerializer;
using static System.Math;

namespace Example.Limits
{
    /// <summary>A bucket that leaks.</summary>
    /// <remarks>Größe 🎉</remarks>
    [Serializable]
    public sealed partial class Bucket<T> : Base, IStore<T> where T : class, new()
    {
        /// <summary>How many.</summary>
        public const int Limit = 100;
        private readonly List<T> _items = new();
        protected int size = 1, other = 2;
        public static readonly string NAME = "x";

        /// <summary>Makes one.</summary>
        public Bucket(int size) : base(size) { }
        static Bucket() { }
        ~Bucket() { }

        /// <summary>Whether it is full.</summary>
        [JsonIgnore]
        public bool Full => size == 0;
        public int Count { get; private set; } = 3;
        public T this[int index] { get { return _items[index]; } set { _items[index] = value; } }
        public event EventHandler<EventArgs>? Changed;
        public event Action Custom { add { } remove { } }

        // Takes one.
        [Obsolete("no"), MethodImpl(MethodImplOptions.AggressiveInlining)]
        public async Task<R?> TakeAsync<R>(Func<T, R> map, params int[] counts) where R : struct
        {
            int Local(int x) => x + 1;
            Func<int, int> lambda = x => Local(x);
            var local = 1;
            return map(_items[0]);
        }

        public static Bucket<T> operator +(Bucket<T> a, Bucket<T> b) => a;
        public static implicit operator int(Bucket<T> a) => a.size;
        void IStore<T>.Put(string key, T value) { }
        public override string ToString() => "🎉";

        private class Nested { public int X; }
        public enum Level : byte { Low, /* not too */ High = 2 }
        private struct Pair { public int A, B; }
    }

    /// <summary>Keeps.</summary>
    public interface IStore<in T>
    {
        int Size { get; }
        void Put(string key, T value);
    }

    public record Person(string Name, int Age) { public bool Adult => Age > 17; }
    public record struct Point(int X, int Y);
    public readonly struct Money { public decimal Amount { get; init; } }
    public delegate void Handler<T>(object sender, T args);

    [Flags]
    public enum Flags { None = 0, All = ~0 }

    public static class Extensions
    {
        public static int Twice(this int x) => x * 2;
        [DllImport("user32.dll")]
        private static extern int MessageBox(IntPtr h);
    }

    [TestClass]
    public class BucketTests
    {
        [Fact]
        public void Takes_one() { Assert.True(true); }
    }
}
