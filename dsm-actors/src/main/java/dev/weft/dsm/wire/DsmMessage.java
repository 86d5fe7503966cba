package dev.weft.dsm.wire;

/** A control message between two nodes of a shared memory, or from a node to itself. */
public sealed interface DsmMessage {
  /**
   * A message about one minipage. {@code op} is the home's number of its operation on the minipage. The home drops an answer whose number is not the
   * current one, because it comes too late.
   */
  sealed interface OfMinipage extends DsmMessage {
    int minipage();
  }

  /** A message about a lock, a barrier or a condition. */
  sealed interface OfSync extends DsmMessage {}

  /** A message about the list of objects. */
  sealed interface OfObjects extends DsmMessage {}

  /** A message about members that join, leave or are lost. */
  sealed interface OfMember extends DsmMessage {}

  /** A message of release consistency. */
  sealed interface OfRelease extends DsmMessage {}

  /** A message about a batch of updates. */
  sealed interface OfBatch extends OfRelease {}

  /**
   * To the home: the sender wants to read the minipage.
   *
   * @param firstWord first of the words of 8 bytes that the sender's threads want, counted from the start of the minipage; -1 if unknown
   * @param lastWord last of them
   */
  record ReadRequest(int minipage, int firstWord, int lastWord) implements OfMinipage {
    public ReadRequest(int minipage) {
      this(minipage, -1, -1);
    }
  }

  /** To the home: the sender wants to write the minipage. The words are as in {@link ReadRequest}. */
  record WriteRequest(int minipage, int firstWord, int lastWord) implements OfMinipage {
    public WriteRequest(int minipage) {
      this(minipage, -1, -1);
    }
  }

  /** Home to owner: write the minipage to {@code requester}'s memory and keep a readable copy. */
  record ForwardRead(int minipage, int op, int requester) implements OfMinipage {}

  /** Home to owner: write the minipage to {@code requester}'s memory and give it up. */
  record ForwardWrite(int minipage, int op, int requester) implements OfMinipage {}

  /** Home to a node with a readable copy: give it up. */
  record Invalidate(int minipage, int op) implements OfMinipage {}

  /** The answer to {@link Invalidate}, and to {@link Ask} if the node has no copy. */
  record Invalidated(int minipage, int op) implements OfMinipage {}

  /**
   * Owner to requester, after the data on the same queue pair.
   *
   * @param home node that ordered the data and waits for the {@link Confirm}; -1 means the minipage's home, where homes do not move
   */
  record Data(int minipage, int op, boolean writable, int home) implements OfMinipage {
    public Data(int minipage, int op, boolean writable) {
      this(minipage, op, writable, -1);
    }
  }

  /** Home to requester: the requester may use its own copy for what it asked for. */
  record Grant(int minipage, int op, boolean writable) implements OfMinipage {}

  /** Home to requester: read the minipage from the memory of {@code source}; no node writes it meanwhile. */
  record Fetch(int minipage, int op, int source) implements OfMinipage {}

  /** Requester to home: its request was served, so the home may serve the next one. Also the answer to {@link Ask} if the node has a copy. */
  record Confirm(int minipage, int op) implements OfMinipage {}

  /**
   * Home to requester: {@code source}, which should have sent the data, was lost. Has the data arrived? The requester must accept no data of that
   * node after its answer.
   */
  record Ask(int minipage, int op, int source) implements OfMinipage {}

  /** Home to requester: the only copy was at a node that was lost. */
  record Lost(int minipage) implements OfMinipage {}

  /** To the home: give all nodes a readable copy. */
  record Push(int minipage) implements OfMinipage {}

  /**
   * A request on its way to a home that moves: from a node that is not, or no longer, the home, to the home that the sender knows.
   *
   * @param requester node that wants the minipage
   * @param firstWord as in {@link ReadRequest}
   * @param lastWord as in {@link ReadRequest}
   * @param hops messages before this one, counted from the requester
   * @param path bits of the nodes that have passed it on and should learn the home
   * @param isKnown whether a home has counted the request already
   */
  record Sought(int minipage, int requester, Wanted wanted, int firstWord, int lastWord, byte hops, long path, boolean isKnown)
      implements OfMinipage {}

  /**
   * Home to a node that has confirmed a write: this node is the home now and has the only copy. Waiting requests follow ({@link Sought}).
   *
   * @param op the home's last operation number; the new home continues from it
   * @param path bits of the nodes that the new home notifies ({@link HomeIs})
   * @param takenFrom bits of the nodes that lost the minipage to a write and have not had it since, for the counters
   */
  record HomeMoves(int minipage, int op, long path, long takenFrom) implements OfMinipage {}

  /** Home to a node that looked for it elsewhere: the sender has been the home since operation {@code op}. */
  record HomeIs(int minipage, int op) implements OfMinipage {}

  /** Node to the home of a lock: the sender wants the lock. */
  record LockRequest(int object) implements OfSync {}

  /**
   * Home to node: the node has the lock.
   *
   * @param recalled whether another node waits for it already
   * @param holderLost whether the node that had it was lost
   */
  record LockGrant(int object, boolean recalled, boolean holderLost) implements OfSync {}

  /** Home to the node that has the lock: another node waits for it. */
  record LockRecall(int object) implements OfSync {}

  /**
   * Node to home: the node gives the lock back.
   *
   * @param wantsAgain whether threads of the node wait for the lock
   * @param holderLost whether the node learned that a holder was lost, but no thread of it acquired the lock to learn it
   */
  record LockReturn(int object, boolean wantsAgain, boolean holderLost) implements OfSync {}

  /** Node to the home of a barrier: a thread has reached it. */
  record BarrierArrive(int object) implements OfSync {}

  /** All threads have reached the barrier. {@code threads} of them are of the receiver, which releases those that have waited longest. */
  record BarrierRelease(int object, int threads) implements OfSync {}

  /** The barrier is broken: a node was lost whose threads may be missing. */
  record BarrierBroken(int object) implements OfSync {}

  /** A thread waits for a condition; {@code ticket} is the sender's number for it. */
  record ConditionWait(int object, int ticket) implements OfSync {}

  /** The home has recorded that the thread waits. */
  record ConditionWaiting(int object, int ticket) implements OfSync {}

  /** The thread no longer waits. */
  record ConditionCancel(int object, int ticket) implements OfSync {}

  /** Wake one waiting thread, or all. */
  record ConditionSignal(int object, boolean all) implements OfSync {}

  /** Wake this thread. */
  record ConditionWake(int object, int ticket) implements OfSync {}

  /** To the first node: make or find an object. {@code request} is the sender's number for the request, {@code site} the place in its program. */
  record Define(int request, ObjectSpec wanted, String site) implements OfObjects {
    public Define(int request, ObjectSpec wanted) {
      this(request, wanted, "");
    }
  }

  /** The first node to all: there is a new object. {@code site} is the place in the program that made it, empty if unknown. */
  record Defined(ObjectSpec spec, String site) implements OfObjects {
    public Defined(ObjectSpec spec) {
      this(spec, "");
    }
  }

  /** The answer to {@link Defined}. */
  record DefinedAck(int object) implements OfObjects {}

  /** The answer to {@link Define}: the object's number, or -1 and the reason. */
  record DefineResult(int request, int object, Refusal refusal, String text) implements OfObjects {}

  /** To the first node, and from it to all: free the array. */
  record Free(int request, int object) implements OfObjects {}

  /**
   * The first node to all: forget the array. Repeated when a node is lost before all have forgotten it.
   *
   * @param nodes bits of the receivers
   */
  record Freed(int object, long nodes) implements OfObjects {}

  /** From each of these nodes to each other, after all its messages about the array. */
  record NothingMore(int object) implements OfObjects {}

  /** The first node to a joining node: there is another member. */
  record Member(int node, String name) implements OfMember {}

  /** The first node to a joining node: the list of members is complete. */
  record MembersEnd(int members) implements OfMember {}

  /** To the first node: the sender is connected to all members and knows all objects. */
  record Joined() implements OfMember {}

  /** To all: the sender leaves, and no node needs its minipages. */
  record Leaving() implements OfMember {}

  /**
   * To every other node: {@code node} is about to leave, so it is the home of nothing any more. No order of that home follows this message. The
   * leaving node sends the first one.
   */
  record Retires(int node) implements OfMember {}

  /** Leaving node to a home: answer when other nodes have these minipages, too. The answers carry {@code round}. */
  record Evacuate(int first, int count, int round) implements OfMember {}

  /** The answer to {@link Evacuate}, one for each minipage. */
  record Safe(int minipage, int round) implements OfMember {}

  /** Leaving node to the next home: {@code isHurt} says that a holder of the lock was lost and no thread was told, or that the barrier is broken. */
  record WasHome(int object, boolean isHurt, int holder) implements OfSync {}

  /**
   * To the node that takes the first node's place: the sender knows this object. {@code isFreed} if the sender has forgotten it but its place is
   * still in use.
   */
  record Knows(ObjectSpec spec, boolean isFreed, String site) implements OfObjects {}

  /** To the node that takes the first node's place: the numbers of objects and minipages that the sender knows to be given out. */
  record KnowsUpTo(int nextId, int nextMinipage) implements OfObjects {}

  /** To all: the sender has given its minipages away and goes. Each receiver ends its connection with it. */
  record Left() implements OfMember {}

  /** To every other node: the sender has lost {@code node}. No order of that node follows this message. */
  record NodeGone(int node) implements OfMember {}

  /**
   * To the home that takes the place of a lost one: the sender's rights to {@code count} minipages.
   *
   * @param rights one of {@link dev.weft.dsm.access.Rights}, not none
   */
  record Holds(int first, int count, byte rights) implements OfMember {}

  /**
   * Synchronous engine, to the home that takes the place of a lost one: the sender had locked an entry with this content, and has given up. It may
   * have taken rights of other nodes, but has got none itself, and no node has written since.
   *
   * @param lost bits of that home, and of the nodes that were lost to the sender when it locked the entry
   */
  record WasTaking(int minipage, long owner, long copies, long lost) implements OfMinipage {}

  /** To the home that takes the place of a lost one: the sender has the lock. */
  record HoldsLock(int object) implements OfSync {}

  /** To every other node: the sender has reported everything that it has of objects whose home was {@code node}. */
  record HoldsEnd(int node) implements OfMember {}

  /** To all others: send updates of the minipage to the sender from now on. {@code round} is the sender's number for this question. */
  record CopyWanted(int minipage, int round) implements OfRelease {}

  /** The answer, when all earlier updates of the sender have reached their receivers: the sender's copy of the minipage. */
  record CopyAnswer(int minipage, int round, Copy copy) implements OfRelease {}

  /** To a node with a complete copy: send its content. */
  record CopyFetch(int minipage, int round) implements OfRelease {}

  /** Follows a batch of updates, which is in the receiver's frames now. */
  record Updates(long seq, long offset, int bytes) implements OfBatch {}

  /** The answer: the receiver has applied the updates. */
  record UpdatesTaken(long seq) implements OfRelease {}

  /** The sender receives from the multicast group of the space. */
  record Listens() implements OfBatch {}

  /** A batch of updates went to the group, and the receiver has not answered. The receiver answers whether it has the whole batch. */
  record UpdatesSent(long seq, long offset, int bytes) implements OfBatch {}

  /** The answer: a part of the batch is missing. {@link Updates} follows. */
  record UpdatesMissing(long seq) implements OfBatch {}

  /** What a request wants from the home that it looks for. */
  enum Wanted {
    READ,
    WRITE,
    /** A copy for all nodes. */
    PUSH
  }

  /** A node's copy of a minipage with release consistency. */
  enum Copy {
    NONE,
    /** The node receives updates, but does not have the content yet. */
    ASKING,
    COMPLETE
  }

  /** Why a definition was refused. */
  enum Refusal {
    NONE,
    BAD_REQUEST,
    NO_ROOM,
    UNKNOWN
  }
}
