// Licence.
import Foundation
@testable import Limits

/// How many.
let limit = 100
var größe = "🎉", other = 2
public let handler: (Int) -> Int = { x in x * 2 }

/// A name.
typealias Name = String
typealias Handler<T> = (T) -> Void

/// A bucket
/// that leaks.
@available(iOS 13, *)
public final class Bucket<T: Comparable>: Base, Store where T: Hashable {
    /// How many fit.
    public static let size = 3
    private var items: [T] = []
    @Published var name: String = "é"
    lazy var later: Int = { 1 }()
    var full: Bool { items.isEmpty }
    var watched: Int = 0 {
        willSet { print(newValue) }
        didSet { print(oldValue) }
    }
    weak var delegate: Delegate?

    /// Makes one.
    public init(size: Int = 3) { super.init() }
    convenience init?(text: String) { return nil }
    required init() {}
    deinit { print("gone") }

    /**
     Takes one.
     */
    @discardableResult
    public func take<R>(_ count: Int = 1, using map: @escaping (T) throws -> R) async rethrows -> R? {
        let local = 1
        func helper(_ x: Int) -> Int { x + local }
        let closure = { (x: Int) in helper(x) }
        struct Local { var a: Int }
        return nil
    }

    class func make() -> Bucket { Bucket() }
    subscript(index: Int) -> T { get { items[index] } set { items[index] = newValue } }
    static func + (a: Bucket, b: Bucket) -> Bucket { a }
    static prefix func ! (a: Bucket) -> Bool { true }

    enum Nested { case one }
}

/// Keeps.
public protocol Store: AnyObject {
    associatedtype Item
    var count: Int { get set }
    static var shared: Self { get }
    init(size: Int)
    func get(_ key: String) -> Item?
    mutating func put(_ key: String)
}

/// A point.
struct Point: Codable {
    var x, y: Double
    let z = 1
    mutating func move() {}
}

indirect enum Level: String {
    /// The lowest.
    case low = "l"
    case high, higher
    case value(Int, name: String)
    var label: String { rawValue }
}

actor Counter { var value = 0; func add() { value += 1 } }

/// Extends.
extension Bucket: CustomStringConvertible where T == Int {
    public var description: String { "🎉" }
    func extra() {}
}
extension Array { var second: Element? { self[1] } }

infix operator <>: AdditionPrecedence
func <> (a: Int, b: Int) -> Int { a + b }

@MainActor
func global<T>(_ value: T...) throws -> some View { value }

#if DEBUG
func debugOnly() {}
#endif

#Preview { Text("x") }

@main
struct App { static func main() {} }

final class BucketTests: XCTestCase {
    func testTake() { XCTAssertTrue(true) }
    @Test("takes one") func takes() {}
}
