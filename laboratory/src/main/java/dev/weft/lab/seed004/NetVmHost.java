package dev.weft.lab.seed004;

import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.FileBackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Memory of one node for measurements in real time: pinned, or virtual memory of which little fits in. Not on the hardware thread. */
final class NetVmHost implements AutoCloseable {
  static final int PAGE = 4096;
  /** 4 MiB of memory. */
  static final int FRAMES = 1024;
  /** 256 MiB of addresses; what was used once in the life of a host is not used again. */
  private static final int SPACE_PAGES = 1 << 16;
  private static final int REDIRECT_PACKETS = 64;
  private static final long REDIRECT_BYTES = 256L << 20;

  /** Registered memory. */
  final class Lent implements AutoCloseable {
    final MemoryRegion region;
    final MemorySegment segment;
    private final Arena arena;

    private Lent(ProtectionDomain pd, boolean unpinned, long bytes) {
      arena = unpinned ? null : Arena.ofShared();
      segment = unpinned ? map(bytes) : hca.allocMemory(arena, bytes);
      region = hca.regMr(pd, segment, Access.ALL | (unpinned ? Access.ON_DEMAND : 0));
    }

    /** Brings all of it in. */
    void touch(ProtectionDomain pd) {
      hca.adviseMr(pd, MrAdvice.PREFETCH_WRITE, true, region, 0, region.length());
    }

    @Override
    public void close() {
      hca.deregMr(region);
      if (arena != null) {
        arena.close();
        return;
      }
      space.unmap(segment.address(), segment.byteSize(), () -> {});
    }
  }

  private final Hca hca;
  private final HostVm vm;
  private final AddressSpace space;
  private long used;

  /** Gives {@code hca} a virtual memory whose pages are kept in {@code file}. */
  NetVmHost(Hca hca, Path file) throws IOException {
    this.hca = hca;
    NetVmSettings settings = new NetVmSettings(PAGE, FRAMES, SPACE_PAGES, 1, REDIRECT_PACKETS, REDIRECT_BYTES);
    vm = new HostVm(settings, new FileBackingStore(file, PAGE), VmProcessor.DIRECT, hca.allocMemory(Arena.ofAuto(), settings.frameBytes()));
    hca.attachVm(vm);
    space = vm.createSpace();
  }

  private synchronized MemorySegment map(long bytes) {
    MemorySegment name = space.map(space.base() + used, bytes);
    used += name.byteSize();
    return name;
  }

  Lent lend(ProtectionDomain pd, boolean unpinned, long bytes) {
    return new Lent(pd, unpinned, bytes);
  }

  @Override
  public void close() {
    vm.close();
  }
}
