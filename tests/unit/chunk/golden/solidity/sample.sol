// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Base.sol";
import {Owned as Kept} from "./Owned.sol";

uint256 constant FEE = 3;

struct Outside { uint256 a; }

enum Phase { Open, Closed }

type Price is uint128;

error NotAllowed(address who);

event Started(uint256 at);

/// Adds two numbers outside of any contract.
function plus(uint256 a, uint256 b) pure returns (uint256) {
    return a + b;
}

/// What can be paid.
interface IPayable {
    /// Pays "é".
    function pay(address to) external payable returns (bool);
}

library Math {
    function half(uint256 a) internal pure returns (uint256) { return a / 2; }
}

/**
 * @title A box for coins, "Spardose"
 */
contract Box is IPayable, Kept {
    using Math for uint256;

    // Who may open it.
    address public owner;
    mapping(address => uint256) private coins;
    uint256 public constant LIMIT = 100;

    struct Coin {
        uint256 value;
        string name;
    }

    enum State { Empty, Full }

    event Paid(address indexed from, uint256 amount);

    error TooMuch(uint256 amount);

    // Only for the owner.
    modifier onlyOwner() {
        require(msg.sender == owner, unicode"nö 🎉");
        _;
    }

    constructor(address first) payable {
        owner = first;
    }

    receive() external payable {}

    fallback() external payable {}

    /// @notice Takes a coin.
    /// @return Whether it fits.
    function pay(address to) external payable override onlyOwner returns (bool) {
        uint256 local = 1;
        coins[to] += msg.value + local;
        emit Paid(msg.sender, msg.value);
        return true;
    }

    function total() public view virtual returns (uint256);
}

abstract contract Later { function soon() public virtual; }
