package dev.weft.hca.verbs;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.host.DiskCosts;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.SimulatedBackingStore;
import dev.weft.hca.netvm.VmProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A connected pair whose side b has virtual memory with few frames, part of it registered without pinning. */
public final class UnpinnedPair implements AutoCloseable {
  public static final int PAGE = 4096;
  public static final DiskCosts DISK = new DiskCosts(50_000, 20_000, 100_000_000, 100_000_000);

  public final Pair pair;
  public final EventCounters counters;
  public final HostVm vm;
  public final AddressSpace space;
  public final MemorySegment name;
  public final MemoryRegion mr;

  public UnpinnedPair(long seed, LinkFaults faults, int frames, int pages, int redirectPackets) {
    this(seed, faults, frames, pages, redirectPackets, false);
  }

  public UnpinnedPair(long seed, LinkFaults faults, int frames, int pages, int redirectPackets, boolean counted) {
    this(seed, faults, frames, pages, redirectPackets, counted, "");
  }

  /**
   * @param counted whether writes with immediate data to b count events
   * @param overrides settings over reference.conf
   */
  public UnpinnedPair(long seed, LinkFaults faults, int frames, int pages, int redirectPackets, boolean counted, String overrides) {
    pair = new Pair(seed, faults, Pair.QpShape.DEFAULT, Access.ALL, ConfigFactory.parseString(overrides));
    counters = new EventCounters(4, 8, pair.b.hca.contexts());
    if (counted) {
      pair.b.hca.useEventCounters(pair.b.qp, counters);
    }
    pair.connect(attr -> {});
    NetVmSettings settings = new NetVmSettings(PAGE, frames, 1024, 4, redirectPackets, 1L << 30);
    vm = new HostVm(settings, new SimulatedBackingStore(pair.fabric.system(), DISK), VmProcessor.DIRECT);
    pair.b.hca.attachVm(vm);
    space = vm.createSpace();
    name = space.map(space.base(), (long) pages * PAGE);
    mr = pair.b.hca.regMr(pair.b.pd, name, Access.ALL | Access.ON_DEMAND);
  }

  public UnpinnedPair(int frames, int pages) {
    this(1, LinkFaults.NONE, frames, pages, 64);
  }

  /** Writes from the host itself, bringing pages in. */
  public void poke(long offset, byte[] bytes) {
    boolean[] done = new boolean[1];
    space.write(space.base() + offset, MemorySegment.ofArray(bytes), ok -> done[0] = ok);
    pair.runUntil(() -> done[0]);
  }

  /** Reads as the host's programs do. */
  public byte[] peek(long offset, int length) {
    byte[] bytes = new byte[length];
    boolean[] done = new boolean[1];
    space.read(space.base() + offset, MemorySegment.ofArray(bytes), ok -> done[0] = ok);
    pair.runUntil(() -> done[0]);
    return bytes;
  }

  /** Touches pages from {@code first} on, so that others have to leave. */
  public void push(int first, int count) {
    for (int i = first; i < first + count; i++) {
      poke((long) i * PAGE, new byte[] {1});
    }
  }

  public byte[] ofA(long offset, int length) {
    return pair.a.memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  public long va(long offset) {
    return mr.addr() + offset;
  }

  public NicPagesSnapshot nic() {
    return pair.b.hca.inspectVm();
  }

  public boolean isResident(int page) {
    return space.isResident(space.base() + (long) page * PAGE, PAGE);
  }

  @Override
  public void close() {
    pair.close();
  }
}
