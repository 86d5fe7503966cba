package dev.weft.pvfs.mpiio;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionRejectedException;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The file pointer that all ranks share: a 64-bit word in the memory of rank 0. Ranks add to it by an RDMA atomic, so no code of rank 0 runs. A rank
 * connects at its first use. On the rank's thread.
 */
final class SharedPointer {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final int DEPTH = 4;

  private final Fabric fabric;
  private final Node node;
  private final String owner;
  private final String service;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemorySegment memory;
  private final MemoryRegion region;
  /** At rank 0 the queue pairs to the other ranks, otherwise this rank's own. */
  private final List<QueuePair> queuePairs = new ArrayList<>();
  private final boolean isOwner;
  private QueuePair own;
  private long address;
  private int rkey;
  private long lastAsked;

  /** Opens the pointer, which rank 0 offers. Collective. */
  static SharedPointer open(Ranks ranks, Fabric fabric, Node node, long inode) throws PvfsException {
    String[] words = Texts.broadcast(ranks, node.name() + " mpi-io-" + inode + "-" + NUMBERS.incrementAndGet()).split(" ");
    SharedPointer[] made = {null};
    Attempt making = Attempt.of(() -> made[0] = new SharedPointer(ranks.rank() == 0, fabric, node, words[0], words[1]));
    try {
      making.agree(ranks, "the shared file pointer");
    } catch (PvfsException | RuntimeException failed) {
      if (made[0] != null) {
        made[0].close();
      }
      throw failed;
    }
    return made[0];
  }

  private SharedPointer(boolean isOwner, Fabric fabric, Node node, String owner, String service) {
    this.fabric = fabric;
    this.node = node;
    this.isOwner = isOwner;
    this.owner = owner;
    this.service = service;
    this.pd = node.hca().allocPd();
    this.cq = node.hca().createCq(DEPTH);
    this.memory = node.hca().allocMemory(Arena.ofAuto(), Long.BYTES);
    this.region = node.hca().regMr(pd, memory, isOwner ? Access.LOCAL_WRITE | Access.REMOTE_ATOMIC : Access.LOCAL_WRITE);
    if (isOwner) {
      node.cm().listen(service, this::accept);
    }
  }

  /** On the hardware thread. */
  private void accept(ConnectionRequest request) {
    try {
      QueuePair qp = node.hca().createQp(pd, QpInitAttr.of(cq, DEPTH));
      synchronized (queuePairs) {
        queuePairs.add(qp);
      }
      request.accept(qp, ByteBuffer.allocate(12).putLong(region.addr()).putInt(region.rkey()).array());
    } catch (VerbsException noRoom) {
      request.reject(null);
    }
  }

  /**
   * Adds to the pointer and returns its old value.
   *
   * @throws PvfsException EINTR if the thread was interrupted, ETIMEDOUT without an answer: the addition may have happened
   */
  long getAndAdd(long etypes) throws PvfsException {
    if (isOwner) {
      return (long) WORD.getAndAdd(memory, 0L, etypes);
    }
    connect();
    long asked = ++lastAsked;
    try {
      own.postSend(new WorkRequest().fetchAndAdd(address, rkey, etypes).sge(region, 0, Long.BYTES).wrId(asked).signaled());
    } catch (VerbsException full) {
      throw new PvfsException(Errno.EIO, "the shared file pointer at node " + owner + ": " + full.getMessage());
    }
    WorkCompletion done = completion();
    while (done.wrId() != asked) {
      done = completion(); // Older completions belong to calls that stopped waiting; completions come in order.
    }
    if (!done.isSuccess()) {
      throw new PvfsException(Errno.EIO, "the shared file pointer at node " + owner + ": " + done.status());
    }
    return memory.get(ValueLayout.JAVA_LONG, 0);
  }

  private WorkCompletion completion() throws PvfsException {
    try {
      return fabric.await(cq, PATIENCE);
    } catch (IllegalStateException none) {
      throw new PvfsException(Thread.currentThread().isInterrupted() ? Errno.EINTR : Errno.ETIMEDOUT, "the shared file pointer at node " + owner);
    }
  }

  private void connect() throws PvfsException {
    if (own != null) {
      return;
    }
    QueuePair qp = node.hca().createQp(pd, QpInitAttr.of(cq, DEPTH));
    try {
      Connection connection = fabric.await(node.cm().connect(owner, service, qp, null), PATIENCE);
      ByteBuffer said = ByteBuffer.wrap(connection.privateData());
      address = said.getLong();
      rkey = said.getInt();
    } catch (ConnectionRejectedException | IllegalStateException refused) {
      node.hca().destroyQp(qp);
      throw new PvfsException(Errno.EIO, "the shared file pointer at node " + owner + " cannot be reached: " + refused.getMessage());
    }
    own = qp;
    synchronized (queuePairs) {
      queuePairs.add(qp);
    }
  }

  /** Sets the pointer. By rank 0, while no rank uses it. */
  void set(long etypes) {
    if (isOwner) {
      WORD.setVolatile(memory, 0L, etypes);
    }
  }

  /** Closes the pointer, when no rank uses it any more. */
  void close() {
    if (isOwner) {
      node.cm().unlisten(service);
    }
    synchronized (queuePairs) {
      queuePairs.forEach(node.hca()::destroyQp);
      queuePairs.clear();
    }
    node.hca().destroyCq(cq);
    node.hca().deregMr(region);
    node.hca().deallocPd(pd);
  }
}
