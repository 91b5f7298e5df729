"""Misconceptions about graphs: traversal order, node identity, path counts, structure and size."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # orders
    "wrong-traversal": Misconception(
        "Gradient propagated before it is complete",
        "A value propagates its gradient before all of its consumers have contributed to it, so later contributions "
        "are lost. A topological order places every consumer before the values that it uses. Check the order on a "
        "graph with one short and one long path to the same value.",
    ),
    "wrong-order": Misconception(
        "Steps in the wrong order",
        "The numbers match a computation in which two steps run in a different order, so that one of them uses a "
        "value that is not ready or has already changed. Check the order of your steps.",
    ),
    "consumers-miscounted": Misconception(
        "Consumers counted wrongly",
        "The numbers match an order that counts consumers incorrectly: the count does not agree with the places that "
        "decrease it, so a node runs before all of its consumers, or never. Check both for an operation that uses one "
        "value twice and for an operation that the output does not depend on.",
    ),
    "bfs-order": Misconception(
        "Breadth-first order instead of topological order",
        "The order is that of a breadth-first search from the output. A node that is reached by a short and by a long "
        "path can then come before some of its consumers. A topological order places every consumer first, however "
        "long the path is. Check the order on a graph with two paths of different lengths.",
    ),
    "preorder-dfs": Misconception(
        "Depth-first preorder instead of topological order",
        "Nodes are listed when the search first reaches them, although another path to the same node may follow. The "
        "order of first visits is not a topological order. Check at which point the position of a node is final.",
    ),
    "not-reversed": Misconception(
        "Topological order reversed",
        "Nodes come before the nodes that use them. In a backward pass, every node comes after all of its consumers: "
        "the output comes first and the leaves come last. Check the direction in which you use your order.",
    ),
    "drops-leaves": Misconception(
        "Leaf functions left out",
        "The functions at the leaves are missing from the list. AccumulateGrad is a node of the graph like any other, "
        "although it has no next_functions. Check whether a node without next_functions is still listed.",
    ),
    "leaves-too-early": Misconception(
        "Leaf functions before their consumers",
        "Functions at the leaves come before functions that point to them; all other functions are in a valid order. "
        "AccumulateGrad is a node of the graph like any other and comes after all of its consumers. Check what "
        "determines the position of a function without next_functions.",
    ),
    "first-slot-only": Misconception(
        "Only one entry of next_functions followed",
        "The traversal follows a single entry of next_functions for each function, so all other branches are missing. "
        "An operation with several inputs has several entries in next_functions. Check which entries your traversal "
        "visits.",
    ),
    "lists-twice": Misconception(
        "Shared functions listed more than once",
        "Functions that are reached along several paths appear more than once. Each function is one node of the "
        "graph. Check how your traversal recognises a function that it has already visited.",
    ),
    # identity
    "identity-by-value": Misconception(
        "Nodes compared by value instead of identity",
        "Different nodes count as one because they hold equal numbers or share memory. A node of the graph is an "
        "object: two nodes with the same data are still two nodes. Check what your set, dictionary or comparison uses "
        "as the key.",
    ),
    "identity-by-name": Misconception(
        "Nodes identified by name",
        "Different nodes are merged because they have the same name. A graph can contain many functions of the same "
        "type, even with the same inputs. Check how you identify a node.",
    ),
    "equality-by-value": Misconception(
        "Equality of data instead of identity",
        "Two values compare equal when their data is equal, although they are different nodes. Anything that compares "
        "nodes, such as a membership test on a list, then confuses them. Check what == does for your class.",
    ),
    "hash-by-value": Misconception(
        "Hash computed from data",
        "Sets and dictionaries treat values with the same data as one node. Two nodes are the same only if they are "
        "the same object. Check which methods of your class a set calls.",
    ),
    # counting paths
    "counts-nodes": Misconception(
        "Uses counted instead of paths",
        "Your result counts functions or edges, each once, instead of paths; for example, only the edges that lead "
        "directly to the leaf. Where branches split and merge, there are more paths than edges. Check how the number of paths to a "
        "node follows from the numbers of its neighbours.",
    ),
    "counts-all-leaves": Misconception(
        "Paths to all leaves counted",
        "Paths to other leaves are counted too. Only paths that end at the requested leaf count. Check how you "
        "identify this leaf.",
    ),
    "counts-none": Misconception(
        "Empty slots counted as paths",
        "Entries of next_functions that are None are counted as ends of paths. They belong to inputs that need no "
        "gradient, so no path leads through them. Check what your code does with an entry that is None.",
    ),
    "counts-whether": Misconception(
        "Reachability instead of a path count",
        "The result says whether a path exists, not how many there are. A node that is reached along several paths "
        "counts once for each of them. Check how you combine the results of several branches.",
    ),
    "inexact-integer": Misconception(
        "Count too large for the number type",
        "Large counts are rounded or overflow, while small ones are right. Floats and fixed-width integers hold a "
        "limited number of digits. Check the data type in which you add up.",
    ),
    "exponential-revisit": Misconception(
        "Every path traversed separately",
        "The running time grows with the number of paths, which doubles with every shared value in a chain. Each node "
        "of the graph needs to be processed only once. Check what your traversal does when it reaches a node again.",
    ),
    # reading a graph
    "drops-none-slots": Misconception(
        "Empty slots left out",
        "Entries of next_functions that are None are missing, or the slots after them have the wrong number. An empty "
        "slot keeps its position. Check where you filter them out.",
    ),
    "duplicates-shared": Misconception(
        "Shared node listed twice",
        "A node that is reached along two paths appears as two nodes. A graph, unlike a tree, can reach the same node "
        "along several paths. Check how your traversal recognises a node that it has already visited.",
    ),
    "loses-output-index": Misconception(
        "Output index lost",
        "The output index of an edge is missing, or is taken from another edge or from the slot. The second item of "
        "an entry of next_functions says which output of that function the edge leads to. Check where your edges get "
        "this number.",
    ),
    "drops-repeated-edges": Misconception(
        "Edges to visited nodes missing",
        "An edge is missing if its target was already visited. Each slot of each node is a separate edge, whether or "
        "not its target was visited before. Check what your code does with an edge to a visited node.",
    ),
    "edges-reversed": Misconception(
        "Source and target of edges swapped",
        "The edges are right except for their direction: source and target are swapped. An edge leads from a function "
        "to an entry of its next_functions. Compare the order of the two numbers with the statement.",
    ),
    "lost-multiplicity": Misconception(
        "Parallel edges merged",
        "Two edges between the same pair of nodes are counted as one. An operation that uses a value twice, as in x * "
        "x, has two edges to it. Check whether a set or dictionary removes one of them.",
    ),
    "wrong-numbering": Misconception(
        "Node numbers off by one",
        "The graph is right, but the root or the edges refer to nodes by numbers that are off by one from those in "
        "the list of nodes. Check where a number is assigned and where it is used.",
    ),
    # building a graph
    "lost-sharing": Misconception(
        "Shared value computed more than once",
        "A value is computed again for each use where one result should be shared. The graph then has several nodes "
        "instead of one. Look for an expression that occurs more than once.",
    ),
    "missing-constant": Misconception(
        "Missing or wrong constant",
        "A constant factor is missing or has a different value. Constants do not appear in the graph, so the graph "
        "alone looks right. Compare the numbers.",
    ),
    "pow-for-product": Misconception(
        "Power instead of a product",
        "The graph contains a power where the product of a value with itself is required. The number is the same, but "
        "the graph records a different operation. Check which operator creates this node.",
    ),
    "another-formula": Misconception(
        "Different operations in the graph",
        "The value is right, but different operations compute it, so the graph is not the required one. Compare your "
        "expression with the required graph, operation by operation.",
    ),
    "reassociated": Misconception(
        "Formula grouped differently",
        "The value is right, but sums and products are grouped or expanded differently, which gives a different "
        "graph. Compare your expression with the required graph, operation by operation.",
    ),
    # size
    "recursion-limit": Misconception(
        "Recursion too deep",
        "The code makes one nested call for every node on a path, and Python raises RecursionError at a depth of "
        "about a thousand. A graph can be much deeper. Check how the depth of your calls depends on the graph.",
    ),
    "raises-recursion-limit": Misconception(
        "Recursion limit raised",
        "The code changes the limits of the interpreter to allow deeper recursion. Deep recursion can then exhaust "
        "the stack and crash the process. The depth of the calls should not depend on the depth of the graph.",
    ),
    "recursive-repr": Misconception(
        "Whole graph in the printed form",
        "The printed form of a value contains the printed forms of its operands, so it grows with the graph. Error "
        "messages and debuggers call repr too. Check what __repr__ refers to.",
    ),
    "quadratic-membership": Misconception(
        "Linear search for visited nodes",
        "The running time grows with the square of the number of nodes, as it does when visited nodes are looked up "
        "in a list. Check how long each membership test takes when many nodes have been visited.",
    ),
}
