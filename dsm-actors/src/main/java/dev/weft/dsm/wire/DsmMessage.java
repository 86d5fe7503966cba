package dev.weft.dsm.wire;

/** A control message between two nodes of a shared memory, or from a node to itself. */
public sealed interface DsmMessage {
  /**
   * About one minipage. {@code op} is the home's number for what it does with the minipage; an answer with another number than the present one
   * comes too late and is dropped.
   */
  sealed interface OfMinipage extends DsmMessage {
    int minipage();
  }

  /**
   * To the home: the sender wants to read the minipage.
   *
   * @param firstWord first of the words of 8 bytes that its threads want, from the begin of the minipage; -1 if that is not known
   * @param lastWord last of them
   */
  record ReadRequest(int minipage, int firstWord, int lastWord) implements OfMinipage {
    public ReadRequest(int minipage) {
      this(minipage, -1, -1);
    }
  }

  /** To the home: the sender wants to write the minipage; the words as for {@link ReadRequest}. */
  record WriteRequest(int minipage, int firstWord, int lastWord) implements OfMinipage {
    public WriteRequest(int minipage) {
      this(minipage, -1, -1);
    }
  }

  /** Home to owner: write the minipage to {@code requester}'s memory and keep a copy to read. */
  record ForwardRead(int minipage, int op, int requester) implements OfMinipage {}

  /** Home to owner: write the minipage to {@code requester}'s memory and give it up. */
  record ForwardWrite(int minipage, int op, int requester) implements OfMinipage {}

  /** Home to a node with a copy to read: give it up. */
  record Invalidate(int minipage, int op) implements OfMinipage {}

  /** The answer to {@link Invalidate}; and to {@link Ask}, where there is no copy. */
  record Invalidated(int minipage, int op) implements OfMinipage {}

  /**
   * Owner to requester, behind the data on the same queue pair.
   *
   * @param home node that has ordered it, and waits for the {@link Confirm}; -1 for the minipage's home where homes do not move
   */
  record Data(int minipage, int op, boolean writable, int home) implements OfMinipage {
    public Data(int minipage, int op, boolean writable) {
      this(minipage, op, writable, -1);
    }
  }

  /** Home to requester: what it has is good for what it asked for. */
  record Grant(int minipage, int op, boolean writable) implements OfMinipage {}

  /** Home to requester: read the minipage from the memory of {@code source}, which does not change now. */
  record Fetch(int minipage, int op, int source) implements OfMinipage {}

  /** Requester to home: its request was served; the next may be. Also the answer to {@link Ask}, where there is a copy. */
  record Confirm(int minipage, int op) implements OfMinipage {}

  /** Home to requester: {@code source}, which should have sent the data, was lost; did it come? Nothing of that node may come after the answer. */
  record Ask(int minipage, int op, int source) implements OfMinipage {}

  /** Home to requester: the only copy was on a node that was lost. */
  record Lost(int minipage) implements OfMinipage {}

  /** To the home: give everybody a copy to read. */
  record Push(int minipage) implements OfMinipage {}

  /**
   * A request on its way to a home that moves: from a node that is not the home, or not any more, to the one that is, as far as the sender knows.
   *
   * @param requester node that wants it
   * @param firstWord as in {@link ReadRequest}
   * @param lastWord as in {@link ReadRequest}
   * @param hops messages before this one, from the requester on
   * @param path bits of the nodes that have passed it on, and would do better to know the home
   * @param isKnown whether a home has counted it already
   */
  record Sought(int minipage, int requester, Wanted wanted, int firstWord, int lastWord, byte hops, long path, boolean isKnown)
      implements OfMinipage {}

  /**
   * Home to the node that has confirmed a write: it is the home now, and has the only copy. What waited follows ({@link Sought}).
   *
   * @param op the home's last number, from which the next one counts on
   * @param path bits of nodes that are to be told ({@link HomeIs})
   * @param takenFrom bits of the nodes that lost it to a write and have not had it since, for the counters
   */
  record HomeMoves(int minipage, int op, long path, long takenFrom) implements OfMinipage {}

  /** Home to a node that has looked for it elsewhere: the sender is the home since that number. */
  record HomeIs(int minipage, int op) implements OfMinipage {}

  /** About a lock, to its home: the sender wants it. */
  record LockRequest(int object) implements DsmMessage {}

  /**
   * Home to node: it has the lock.
   *
   * @param recalled whether another node waits for it already
   * @param holderLost whether the node that had it was lost
   */
  record LockGrant(int object, boolean recalled, boolean holderLost) implements DsmMessage {}

  /** Home to the node that has the lock: another one waits for it. */
  record LockRecall(int object) implements DsmMessage {}

  /**
   * Node to home: it gives the lock back.
   *
   * @param wantsAgain whether threads of it wait for it
   * @param holderLost whether it was told that a node was lost that had it, and no thread was there to be told
   */
  record LockReturn(int object, boolean wantsAgain, boolean holderLost) implements DsmMessage {}

  /** A thread has come to a barrier. */
  record BarrierArrive(int object) implements DsmMessage {}

  /** All have come, {@code threads} of them from this node: those that have waited longest. */
  record BarrierRelease(int object, int threads) implements DsmMessage {}

  /** Some that should come were lost. */
  record BarrierBroken(int object) implements DsmMessage {}

  /** A thread waits for a condition; {@code ticket} is the sender's name for it. */
  record ConditionWait(int object, int ticket) implements DsmMessage {}

  /** The home knows that it waits. */
  record ConditionWaiting(int object, int ticket) implements DsmMessage {}

  /** The thread does not wait any more. */
  record ConditionCancel(int object, int ticket) implements DsmMessage {}

  /** Wake one, or all. */
  record ConditionSignal(int object, boolean all) implements DsmMessage {}

  /** The thread is woken. */
  record ConditionWake(int object, int ticket) implements DsmMessage {}

  /** To the first node: make an object, or find it; {@code request} is the sender's name for this, {@code site} the place in its program. */
  record Define(int request, ObjectSpec wanted, String site) implements DsmMessage {
    public Define(int request, ObjectSpec wanted) {
      this(request, wanted, "");
    }
  }

  /** The first node to all: an object is there; {@code site} is the place in the program that made it, empty if that is not known. */
  record Defined(ObjectSpec spec, String site) implements DsmMessage {
    public Defined(ObjectSpec spec) {
      this(spec, "");
    }
  }

  /** The answer to {@link Defined}. */
  record DefinedAck(int object) implements DsmMessage {}

  /** The answer to {@link Define}: the object's number, or -1 and why there is none. */
  record DefineResult(int request, int object, Refusal refusal, String text) implements DsmMessage {}

  /** To the first node, and from it to all: that array is given back. */
  record Free(int request, int object) implements DsmMessage {}

  /**
   * The first node to all: forget the array; told again when a node is lost before all have.
   *
   * @param nodes bits of those that are told
   */
  record Freed(int object, long nodes) implements DsmMessage {}

  /** From each of these to each, behind all that it has sent for the array. */
  record NothingMore(int object) implements DsmMessage {}

  /** The first node to one that joins: there is another member. */
  record Member(int node, String name) implements DsmMessage {}

  /** The first node to one that joins: that was all. */
  record MembersEnd(int members) implements DsmMessage {}

  /** To the first node: the sender is connected with all members and knows all objects. */
  record Joined() implements DsmMessage {}

  /** To all: the sender leaves, and nobody needs what it had. */
  record Leaving() implements DsmMessage {}

  /**
   * To every other node: {@code node} looks after nothing any more, because it is about to leave; nothing that it had ordered comes behind this. That
   * node begins with it.
   */
  record Retires(int node) implements DsmMessage {}

  /** The node that has retired to a home: when others than it have these minipages, say so; {@code round} goes into the answers. */
  record Evacuate(int first, int count, int round) implements DsmMessage {}

  /** The answer to {@link Evacuate}, one for each minipage. */
  record Safe(int minipage, int round) implements DsmMessage {}

  /** The node that has retired to the next home: whether a holder of a lock was lost and nobody was told, or whether a barrier is broken. */
  record WasHome(int object, boolean isHurt, int holder) implements DsmMessage {}

  /** To the node that takes the place of the first one: the sender knows this object; {@code isFreed} if it has forgotten it and its place is in use. */
  record Knows(ObjectSpec spec, boolean isFreed, String site) implements DsmMessage {}

  /** The same: numbers that the sender knows to have been given, of objects and of minipages. */
  record KnowsUpTo(int nextId, int nextMinipage) implements DsmMessage {}

  /** To all: the sender has retired, has given away what it had, and goes. Each ends its connection with it. */
  record Left() implements DsmMessage {}

  /** To every other node: {@code node} is lost to the sender, and nothing that it had ordered comes behind this. */
  record NodeGone(int node) implements DsmMessage {}

  /**
   * To the home that takes the place of a lost one: what the sender has of {@code count} minipages.
   *
   * @param rights one of {@link dev.weft.dsm.access.Rights}, not none
   */
  record Holds(int first, int count, byte rights) implements DsmMessage {}

  /**
   * To the home that takes the place of a lost one, with the synchronous engine: the sender had locked the entry, which said this, and has given up. It
   * may have taken rights of others, but has got none, and nobody has written since.
   *
   * @param lost bits of that home, and of the nodes that were lost to the sender when it locked the entry
   */
  record WasTaking(int minipage, long owner, long copies, long lost) implements OfMinipage {}

  /** The same of a lock: the sender has it. */
  record HoldsLock(int object) implements DsmMessage {}

  /** To every other node: that was all that the sender has of what {@code node} was the home of. */
  record HoldsEnd(int node) implements DsmMessage {}

  /** To all others: the sender wants updates of a minipage from now on; {@code round} is its number for this question. */
  record CopyWanted(int minipage, int round) implements DsmMessage {}

  /** The answer, when all updates that were sent before are at their receivers: what the sender has of the minipage. */
  record CopyAnswer(int minipage, int round, Copy copy) implements DsmMessage {}

  /** To one with a complete copy: send its content. */
  record CopyFetch(int minipage, int round) implements DsmMessage {}

  /** Behind the batch of updates, which is in the receiver's frames now. */
  record Updates(long seq, long offset, int bytes) implements DsmMessage {}

  /** The answer: they are in their places. */
  record UpdatesTaken(long seq) implements DsmMessage {}

  /** This node gets what is sent to the multicast group of the space. */
  record Listens() implements DsmMessage {}

  /** A batch of updates went to the group, and the receiver has not answered: it does if it has all of it, and says so if not. */
  record UpdatesSent(long seq, long offset, int bytes) implements DsmMessage {}

  /** The answer: some of it has not come. {@link Updates} follows. */
  record UpdatesMissing(long seq) implements DsmMessage {}

  /** What a node looks for a home for. */
  enum Wanted {
    READ,
    WRITE,
    /** A copy for everybody. */
    PUSH
  }

  /** What a node has of a minipage with release consistency. */
  enum Copy {
    NONE,
    /** It gets updates, and has not the content yet. */
    ASKING,
    COMPLETE
  }

  /** Why there is no object. */
  enum Refusal {
    NONE,
    BAD_REQUEST,
    NO_ROOM,
    UNKNOWN
  }
}
