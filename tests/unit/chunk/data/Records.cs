using System; namespace A.B;
/// <summary>doc</summary>
[Attr] public class C { public C() {} public int P { get; set; } void M() {} }
public record R(int a); public interface I { void X(); }
