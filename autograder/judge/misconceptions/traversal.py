"""Walking a graph: the order of the backward pass, identity of nodes, counts of paths, reading a graph, its size."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # orders
    "wrong-traversal": Misconception(
        "Gradient propagated before it is complete",
        "A value propagates its gradient before all of its consumers have contributed to it, so what is still to come "
        "is lost. A topological order places every consumer before the values that it uses. Check the order on a graph "
        "with one short and one long path to the same value.",
    ),
    "wrong-order": Misconception(
        "Steps in the wrong order",
        "The numbers match a computation in which two steps are taken in a different order, so one of them works with "
        "a value that is not ready or has already changed. Go through the order of the steps once more.",
    ),
    "consumers-miscounted": Misconception(
        "Consumers counted wrongly",
        "The numbers match an order that counts consumers, where the count and the places that decrease it disagree: a "
        "node runs before all its consumers have, or never. Compare both for an operation that uses one value twice, and "
        "for one that the output does not depend on.",
    ),
    "bfs-order": Misconception(
        "Breadth-first order instead of topological order",
        "The order is that of a breadth-first search from the output. A node that is reached by a short and by a long "
        "path can then come before some of its consumers. A topological order places every consumer first, however "
        "long the path is.",
    ),
    "preorder-dfs": Misconception(
        "Depth-first preorder instead of topological order",
        "Nodes are listed when the search first reaches them, although another path to the same node may still come. "
        "Listing on first visit does not give a topological order. Consider at which moment the position of a node is "
        "final.",
    ),
    "not-reversed": Misconception(
        "Topological order reversed",
        "Nodes come before the nodes that use them. In a backward pass, every node comes after all of its consumers: "
        "the output first, the leaves last. Check the direction in which your order is used.",
    ),
    "drops-leaves": Misconception(
        "Leaf functions left out",
        "The list lacks the functions at the leaves. AccumulateGrad is a node of the graph like every other, although "
        "nothing follows it. Check whether a node without next_functions is still listed.",
    ),
    "leaves-too-early": Misconception(
        "Leaf functions before their consumers",
        "Functions at the leaves come before functions that point to them. All other functions are in a valid order. "
        "AccumulateGrad is a node of the graph like every other and comes after all of its consumers. Check what decides "
        "the position of a function without next_functions.",
    ),
    "first-slot-only": Misconception(
        "Only one entry of next_functions followed",
        "The walk follows a single slot of each function, so all other branches are missing. An operation with several "
        "inputs has several entries in next_functions.",
    ),
    "lists-twice": Misconception(
        "Shared functions listed more than once",
        "Functions that are reached along several paths appear more than once. Each function is one node of the graph. "
        "Check how your walk recognises a function that it has already visited.",
    ),
    # identity
    "identity-by-value": Misconception(
        "Nodes compared by value instead of identity",
        "Different nodes count as one because they hold equal numbers or share memory. A node of the graph is an "
        "object: two nodes with the same data are still two. Check what your set, dictionary or comparison looks at.",
    ),
    "identity-by-name": Misconception(
        "Nodes identified by name",
        "Different nodes are merged because they have the same name. A graph can contain many functions of the same "
        "type, with the same inputs. Check what you use to recognise a node.",
    ),
    "equality-by-value": Misconception(
        "Equality compares data",
        "Two values are equal when their data is, although they are different nodes. Whatever compares nodes, such as "
        "a test for membership in a list, then mixes them up. Check what == does for your class.",
    ),
    "hash-by-value": Misconception(
        "Hash computed from data",
        "Sets and dictionaries treat values with the same numbers as one node. Two nodes are the same only if they are "
        "the same object. Check which methods of your class a set uses.",
    ),
    # counting paths
    "counts-nodes": Misconception(
        "Uses counted instead of paths",
        "The count is a number of functions or edges, each taken once, such as those that lead straight to the leaf. Where "
        "branches split and merge, there are more paths than edges. Check how the number of paths to a node follows from "
        "those to its neighbours.",
    ),
    "counts-all-leaves": Misconception(
        "Paths to every leaf counted",
        "Paths to other leaves are counted too. Only paths that end at the requested leaf count. Check how you "
        "recognise that leaf.",
    ),
    "counts-none": Misconception(
        "Empty slots counted as paths",
        "Entries of next_functions that are None count as the end of a path. They stand for inputs that need no "
        "gradient, so no path leads through them.",
    ),
    "counts-whether": Misconception(
        "Reachability instead of a path count",
        "The result says whether there is a path at all, not how many there are. A node that is reached along several "
        "paths counts once for each of them.",
    ),
    "inexact-integer": Misconception(
        "Count too large for the number type",
        "Large counts are rounded or wrap around, while small ones are right. Floats and fixed-width integers hold a "
        "limited number of digits. Check the type in which you add up.",
    ),
    "exponential-revisit": Misconception(
        "Every path walked separately",
        "The work grows with the number of paths, which doubles with every shared value in a chain. Each node of the "
        "graph needs to be handled only once. Check what your walk does when it reaches a node again.",
    ),
    # reading a graph
    "drops-none-slots": Misconception(
        "Empty slots left out",
        "Entries of next_functions that are None are missing, or the slots after them have the wrong number. An empty "
        "slot still has its place. Check where you filter them out.",
    ),
    "duplicates-shared": Misconception(
        "Shared node listed twice",
        "A node that is reached along two paths appears as two nodes. Sharing is what makes the graph a graph and not "
        "a tree. Check how your walk recognises a node that it has already seen.",
    ),
    "loses-output-index": Misconception(
        "Output index lost",
        "The output index of an edge is missing, or is taken from another edge or from the slot. The second item of an "
        "entry of next_functions says which output of that function the edge leads to.",
    ),
    "drops-repeated-edges": Misconception(
        "Edges to visited nodes left out",
        "An edge is missing when its target had been visited before. Each slot of each node is an edge of its own, "
        "whether or not the walk already knows its target. Check what your code does with an edge whose target is not "
        "new.",
    ),
    "edges-reversed": Misconception(
        "Source and target of edges exchanged",
        "The edges are right except for their direction: source and target have changed places. An edge leads from a "
        "function to an entry of its next_functions. Compare the order of the numbers with the statement.",
    ),
    "lost-multiplicity": Misconception(
        "Parallel edges merged",
        "Two edges between the same pair of nodes are counted as one. An operation that uses a value twice, as in x * "
        "x, has two edges to it. Check whether a set or dictionary removes one of them.",
    ),
    "wrong-numbering": Misconception(
        "Node numbers off by one",
        "The graph is right, but nodes are listed under one numbering and referred to in another that is shifted by "
        "one. Check where a number is assigned and where it is used.",
    ),
    # building a graph
    "lost-sharing": Misconception(
        "Shared value computed more than once",
        "A value is computed again for each use, where one result should be shared. In a graph, that gives several "
        "nodes instead of one. Check where the same expression occurs more than once.",
    ),
    "missing-constant": Misconception(
        "Constant missing or wrong",
        "A constant factor is left out or has a different value. Constants do not appear in the graph, so the graph "
        "alone looks right. Compare the numbers.",
    ),
    "pow-for-product": Misconception(
        "Power instead of a product",
        "The graph contains a power where a product of a value with itself is required. The number is the same, but "
        "the graph records a different operation.",
    ),
    "another-formula": Misconception(
        "Different operations in the graph",
        "The value is right, but other operations produce it, so the graph is not the required one. Follow the required "
        "graph operation by operation.",
    ),
    "reassociated": Misconception(
        "Formula grouped differently",
        "The value is right, but sums and products are grouped or expanded differently, which gives another graph. "
        "Follow the required graph operation by operation.",
    ),
    # size
    "recursion-limit": Misconception(
        "Recursion too deep",
        "The code nests one call for every node on a path, and Python raises RecursionError at a depth of about a "
        "thousand. A graph can be much deeper than that.",
    ),
    "raises-recursion-limit": Misconception(
        "Recursion limit raised",
        "The limits of the interpreter are changed to allow deeper recursion. That moves the problem to the size of "
        "the stack, and the process can crash. The depth of the graph should not decide how deeply calls nest.",
    ),
    "recursive-repr": Misconception(
        "Printed form includes the whole graph",
        "The printed form of a value contains those of the values it was made from, and grows with the graph. Error "
        "messages and debuggers call repr too. Check what __repr__ refers to.",
    ),
    "quadratic-membership": Misconception(
        "Linear search for visited nodes",
        "The time grows with the square of the number of nodes, as it does when visited nodes are looked up in a list. "
        "Check how long each membership test takes when many nodes have been visited.",
    ),
}
