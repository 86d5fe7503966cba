package dev.weft.tripwire.device;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;

/** Memory of the far host of a pair, how the near host reaches it, and whose Tripwires watch it. Each access is taken, or {@link #run}. */
interface Watched {
  /** Accesses that may be made before the next {@link #run}. */
  int BATCH = 48;
  /** Longest access. */
  int BYTES_MAX = 6000;

  /** Whose Tripwires they are. */
  Nic nic();

  /** Bytes that are watched. */
  MemorySegment memory();

  Tripwire set(Tripwire wire, Watch watch, long start, long length, boolean once);

  void write(long at, int count, byte value);

  void read(long at, int count);

  /** Whether {@link #compareAndSwap} is there. */
  default boolean hasAtomics() {
    return false;
  }

  default void compareAndSwap(long at, long expected, long replacement) {
    throw new UnsupportedOperationException();
  }

  void run();

  /** An aperture, written by stores and by DMA; watched by its owner, or through the mapping by whoever accesses it. */
  final class Aperture implements Watched {
    private final VirtualPair pair;
    private final MemorySegment memory;
    private final LocalAperture local;
    private final RemoteAperture mapping;
    private final boolean isRemote;
    private final DmaQueue dma;
    private final MemorySegment source;
    private int accesses;
    private int batches;

    Aperture(VirtualPair pair, boolean isRemote) {
      this.pair = pair;
      this.isRemote = isRemote;
      memory = pair.memory(RangeModel.MEMORY);
      local = pair.far.export(memory);
      mapping = pair.near.map(local.descriptor(Rights.ALL));
      dma = pair.near.endpoint(0).dma();
      source = pair.memory((long) BATCH * BYTES_MAX);
    }

    @Override
    public Nic nic() {
      return isRemote ? pair.near : pair.far;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public Tripwire set(Tripwire wire, Watch watch, long start, long length, boolean once) {
      return isRemote ? wire.set(mapping, watch, start, length, once) : wire.set(local, watch, start, length, once);
    }

    /** Stores and DMA are not ordered among each other, so a batch is one or the other. */
    @Override
    public void write(long at, int count, byte value) {
      MemorySegment bytes = source.asSlice((long) accesses++ % BATCH * BYTES_MAX, count).fill(value);
      boolean taken = batches % 3 == 0 ? dma.write(mapping, at, bytes, 0, count, 0) : mapping.write(at, bytes, 0, count);
      if (!taken) {
        throw new IllegalStateException("no room");
      }
    }

    @Override
    public void read(long at, int count) {
      run();
      mapping.read(at, source, 0, count, status -> {
        if (status != Status.OK) {
          throw new IllegalStateException("read: " + status);
        }
      });
      run();
    }

    @Override
    public void run() {
      pair.run();
      batches++;
    }
  }

  /** Memory registered with the HCA, reached over a reliable connection. */
  final class Region implements Watched {
    private final VirtualPair pair;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final WorkCompletion wc = new WorkCompletion();
    private int accesses;

    Region(VirtualPair pair, int mtu) {
      this.pair = pair;
      Hca from = pair.near.node().hca();
      Hca to = pair.far.node().hca();
      ProtectionDomain fromPd = from.allocPd();
      ProtectionDomain toPd = to.allocPd();
      source = from.regMr(fromPd, pair.memory((long) BATCH * BYTES_MAX), Access.ALL);
      target = to.regMr(toPd, pair.memory(RangeModel.MEMORY), 0x7000_0000L, Access.ALL);
      cq = from.createCq(2 * BATCH, ReceiveContext.POLLING, null);
      qp = from.createQp(fromPd, QpInitAttr.of(cq, 2 * BATCH));
      QueuePair far = to.createQp(toPd, QpInitAttr.of(to.createCq(64, ReceiveContext.POLLING, null), 2 * BATCH));
      ready(qp, to, far, mtu);
      ready(far, from, qp, mtu);
    }

    private static void ready(QueuePair own, Hca peer, QueuePair peerQp, int mtu) {
      own.modify(QpAttr.init(Access.ALL));
      own.modify(QpAttr.rtr().destLid(peer.lid()).destQpNum(peerQp.qpNum()).rqPsn(1).pathMtu(mtu));
      own.modify(QpAttr.rts(1));
    }

    @Override
    public Nic nic() {
      return pair.far;
    }

    @Override
    public MemorySegment memory() {
      return target.segment();
    }

    @Override
    public Tripwire set(Tripwire wire, Watch watch, long start, long length, boolean once) {
      return wire.set(target, watch, start, length, once);
    }

    /** Slots of the send queue come back when completions are polled. */
    private void post(WorkRequest request) {
      while (cq.poll(wc)) {
        if (!wc.isSuccess()) {
          throw new IllegalStateException(wc.toString());
        }
      }
      qp.postSend(request.signaled());
    }

    private long slot() {
      return (long) accesses++ % BATCH * BYTES_MAX;
    }

    @Override
    public void write(long at, int count, byte value) {
      long slot = slot();
      source.segment().asSlice(slot, count).fill(value);
      post(new WorkRequest().write(target.addr() + at, target.rkey()).sge(source, slot, count));
    }

    @Override
    public void read(long at, int count) {
      post(new WorkRequest().read(target.addr() + at, target.rkey()).sge(source, slot(), count));
    }

    @Override
    public boolean hasAtomics() {
      return true;
    }

    @Override
    public void compareAndSwap(long at, long expected, long replacement) {
      post(new WorkRequest().compareAndSwap(target.addr() + at, target.rkey(), expected, replacement).sge(source, slot(), 8));
    }

    @Override
    public void run() {
      pair.run();
    }
  }
}
