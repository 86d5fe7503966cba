package dev.weft.lab.seed004;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.SimulatedBackingStore;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.HostVmProcessor;
import dev.weft.lab.hosts.VirtualHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;

/**
 * What transfers to memory that is not pinned cost, on a hardware profile in virtual time (seed 004, abstract). The simulated adapter does
 * not charge for the translation of a page: {@link #pinnedLatencyNs} and {@link #pinningBreakEven} account for it by the profile's number.
 */
public final class NetVmExperiment {
  /** How a notification is detected. */
  public enum Detection { BUSY_WAIT, HANDLER, BLOCKING_WAIT }

  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final int DEPTH = 64;

  private NetVmExperiment() {}

  /** Nanoseconds from the post of a write to its last byte in unpinned memory of the target, whose page is there or not. */
  public static long writeLatencyNs(HardwareProfile profile, int bytes, boolean resident, long seed) {
    try (Bench bench = new Bench(profile, Math.max(bytes, 1), seed)) {
      if (resident) {
        bench.touch();
      } else {
        bench.pushOut();
      }
      long startNs = bench.fabric.system().nowNs();
      bench.near.memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      bench.near.qp.postSend(new WorkRequest().write(bench.unpinned.addr(), bench.unpinned.rkey()).sge(bench.near.mr, 0, bytes));
      bench.await(() -> bench.sees(bytes - 1, (byte) 1));
      return bench.fabric.system().nowNs() - startNs;
    }
  }

  /** The same with static pinning, without the translation of each of the pages at both ends. */
  public static double pinnedLatencyNs(HardwareProfile profile, int bytes, long seed) {
    return writeLatencyNs(profile, bytes, true, seed) - 2.0 * pages(profile, bytes) * profile.adapter().translateNs();
  }

  private static long pages(HardwareProfile profile, int bytes) {
    return Math.ceilDiv(bytes, profile.memory().pageBytes());
  }

  /** Bytes per second of large writes to resident unpinned memory. */
  public static double bandwidth(HardwareProfile profile, int bytes, int messages, long seed) {
    try (Bench bench = new Bench(profile, bytes, seed)) {
      bench.touch();
      long startNs = bench.fabric.system().nowNs();
      for (int i = 0; i < messages; i++) {
        bench.near.qp.postSend(
            new WorkRequest().write(bench.unpinned.addr(), bench.unpinned.rkey()).sge(bench.near.mr, 0, bytes).signaled());
      }
      bench.await(() -> bench.near.cq.size() == messages);
      return (double) bytes * messages / (bench.fabric.system().nowNs() - startNs) * 1e9;
    }
  }

  /** Pinning of one page and its release under dynamic pinning with that hit rate, 0 to 1, for each use. */
  public static double dynamicPinningNs(HardwareProfile profile, double hitRate) {
    int page = profile.memory().pageBytes();
    return (1 - hitRate) * (profile.memory().registrationNs(page) + profile.memory().deregistrationNs(page));
  }

  /** The hit rate, 0 to 1, from which dynamic pinning costs less than the translation of a page for each use. */
  public static double pinningBreakEven(HardwareProfile profile) {
    return 1 - profile.adapter().translateNs() / dynamicPinningNs(profile, 0);
  }

  /** Nanoseconds that a notification adds to a write, by how it is detected. */
  public static long notificationNs(HardwareProfile profile, Detection detection, long seed) {
    try (Bench bench = new Bench(profile, 8, seed)) {
      bench.touch();
      boolean[] detected = new boolean[1];
      switch (detection) {
        case BUSY_WAIT -> {}
        case HANDLER -> bench.counters.handle(0, ReceiveContext.ISR, value -> detected[0] = true);
        case BLOCKING_WAIT -> bench.counters.whenReached(0, 1, ReceiveContext.PROCESS, () -> detected[0] = true);
      }
      bench.near.memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
      long startNs = bench.fabric.system().nowNs();
      bench.near.qp.postSend(new WorkRequest().writeWithImm(bench.unpinned.addr(), bench.unpinned.rkey(), 0).sge(bench.near.mr, 0, 8));
      boolean busy = detection == Detection.BUSY_WAIT;
      bench.await(() -> busy ? bench.counters.value(0) == 1 : detected[0]);
      long ns = bench.fabric.system().nowNs() - startNs + (busy ? profile.cpu().pollNs() : 0);
      return ns - writeLatencyNs(profile, 8, true, seed);
    }
  }

  private static final class Side {
    final Hca hca;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory;
    final MemoryRegion mr;

    Side(Node node, int bytes) {
      hca = node.hca();
      pd = hca.allocPd();
      cq = hca.createCq(2 * DEPTH, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, new QpInitAttr(cq, cq, DEPTH, DEPTH, 1, 1, 0, false));
      memory = Arena.ofAuto().allocate(bytes, 8);
      mr = hca.regMr(pd, memory, Access.ALL);
    }

    void connect(Side peer, int mtu) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(1).pathMtu(mtu));
    }
  }

  /** Two hosts; the far one has virtual memory on its disk. */
  private static final class Bench implements AutoCloseable {
    final VirtualFabric fabric;
    final Side near;
    final AddressSpace space;
    final MemoryRegion unpinned;
    final EventCounters counters;
    private final int pageBytes;
    private final int pages;

    Bench(HardwareProfile profile, int bytes, long seed) {
      fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty());
      Node nearNode = fabric.addNode("near");
      Node farNode = fabric.addNode("far");
      near = new Side(nearNode, Math.max(8, bytes));
      Side far = new Side(farNode, 8);
      pageBytes = profile.memory().pageBytes();
      pages = Math.toIntExact(Math.ceilDiv(bytes, (long) pageBytes));
      NetVmSettings settings = new NetVmSettings(pageBytes, pages + 2, 3 * pages + 16, 1, DEPTH, 1L << 32);
      HostVm vm = new HostVm(settings, new SimulatedBackingStore(fabric.system(), profile.disk()),
          new HostVmProcessor(VirtualHost.of(fabric, farNode.name())));
      far.hca.attachVm(vm);
      space = vm.createSpace();
      unpinned = far.hca.regMr(far.pd, space.map(space.base(), (3L * pages + 16) * pageBytes), Access.ALL | Access.ON_DEMAND);
      counters = new EventCounters(1, 4, far.hca.contexts());
      far.hca.useEventCounters(far.qp, counters);
      near.connect(far, profile.mtuBytes());
      far.connect(near, profile.mtuBytes());
      near.qp.modify(QpAttr.rts(1));
      far.qp.modify(QpAttr.rts(1));
      fabric.system().runFor(1_000_000);
    }

    /** Brings the pages in. */
    void touch() {
      use(0, pages);
    }

    /** Brings them in, writes to them, and has others take their frames. */
    void pushOut() {
      use(0, pages);
      use(pages, 2 * pages + 8);
      if (space.isResident(space.base(), pageBytes)) {
        throw new IllegalStateException("the page was to be replaced and is still there");
      }
    }

    private void use(int first, int count) {
      for (int i = first; i < first + count; i++) {
        boolean[] done = new boolean[1];
        space.write(space.base() + (long) i * pageBytes, MemorySegment.ofArray(new byte[8]), ok -> done[0] = true);
        await(() -> done[0]);
      }
    }

    /** Whether a byte is seen, without bringing its page in. */
    boolean sees(long offset, byte value) {
      if (!space.isResident(space.base() + offset, 1)) {
        return false;
      }
      byte[] seen = new byte[1];
      space.read(space.base() + offset, MemorySegment.ofArray(seen), ok -> {});
      return seen[0] == value;
    }

    void await(BooleanSupplier seen) {
      if (!fabric.system().runUntil(seen, PATIENCE_NS)) {
        throw new IllegalStateException("nothing was seen within " + PATIENCE_NS + " ns of virtual time");
      }
    }

    @Override
    public void close() {
      fabric.close();
    }
  }
}
