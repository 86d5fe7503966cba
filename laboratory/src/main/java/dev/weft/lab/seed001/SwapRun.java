package dev.weft.lab.seed001;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.AppThreads;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.CopyingProcessor;
import dev.weft.lab.hosts.DiskModel;
import dev.weft.lab.hosts.ModelDevice;
import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.hosts.TcpModel;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.client.AreaMap;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.ServerSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * One run: programs started together on a machine, in virtual time from a seed.
 *
 * @param programNs for each program, nanoseconds until it ended, scaled back to the real size
 * @param stats what swapping did, not scaled
 * @param traceHash of the whole run
 * @param events mailbox steps and timers of the run
 */
public record SwapRun(List<Long> programNs, SwapStats stats, long traceHash, long events) {
  private static final long LIMIT_NS = 1_000_000_000_000_000L;
  private static final long OPEN_LIMIT_NS = 10_000_000_000L;
  private static final long MB = 1 << 20;
  private static final int PAGE_BYTES = 4096;

  /** Seconds until the last program ended, scaled back. */
  public double seconds() {
    return programNs.stream().mapToLong(ns -> ns).max().orElse(0) / 1e9;
  }

  /**
   * Runs programs to their end.
   *
   * @throws IllegalStateException if one fails, or the memory is too small for a batch
   */
  public static SwapRun of(SwapProfile profile, Machine machine, long seed, List<? extends Program> programs) {
    try (VirtualFabric fabric = VirtualFabric.withoutProcessors(seed, profile.hardware(), LinkFaults.NONE, ConfigFactory.empty());
        AppThreads threads = new AppThreads(fabric.system())) {
      SwapDevice device = device(profile, machine, fabric);
      SwappedMemory memory = new SwappedMemory(profile, frames(profile, machine, programs), machine.scale(), device,
          machine.hasBackgroundReclaim(), threads);
      return run(fabric.system(), threads, memory, machine.scale(), programs);
    }
  }

  private static SwapRun run(VirtualSystem system, AppThreads threads, SwappedMemory memory, int scale, List<? extends Program> programs) {
    long startNs = system.nowNs();
    Long[] ends = new Long[programs.size()];
    for (int i = 0; i < programs.size(); i++) {
      int index = i;
      Program program = programs.get(i);
      threads.start("program-" + i, self -> {
        PagedInts array = memory.allocate(self, program.words());
        program.run(array);
        array.pay();
        ends[index] = (self.nowNs() - startNs) * scale;
      });
    }
    threads.runToEnd(LIMIT_NS);
    return new SwapRun(List.of(ends), memory.stats(), system.traceHash(), system.eventsRun());
  }

  private static int frames(SwapProfile profile, Machine machine, List<? extends Program> programs) {
    if (machine.backing() == Backing.LOCAL) {
      long words = programs.stream().mapToLong(program -> program.words() + PagedInts.WORDS_PER_PAGE).sum();
      return (int) (words / PagedInts.WORDS_PER_PAGE) + 1024;
    }
    double usableMb = machine.memoryMb() - profile.value("memory.reserved");
    return (int) (usableMb * MB / PAGE_BYTES / machine.scale());
  }

  private static SwapDevice device(SwapProfile profile, Machine machine, VirtualFabric fabric) {
    long bytes = machine.swapMb() * MB / machine.scale();
    long interruptNs = profile.us("kernel.interrupt");
    return switch (machine.backing()) {
      case LOCAL -> null;
      // The reply wakes the thread that receives replies, and that ends the request.
      case HPBD -> new SwapDevice(pager(profile, machine.servers(), bytes, fabric), true,
          interruptNs + profile.us("kernel.schedule"));
      case NBD_IPOIB -> new SwapDevice(new ModelDevice(fabric.system(), "nbd", new TcpModel(profile, "ipoib"), bytes), false, 0);
      case NBD_GIGE -> new SwapDevice(new ModelDevice(fabric.system(), "nbd", new TcpModel(profile, "gige"), bytes), false, 0);
      case DISK -> new SwapDevice(new ModelDevice(fabric.system(), "disk", new DiskModel(profile, machine.scale()), bytes), false,
          interruptNs);
    };
  }

  /** Opens the pager of this project on its servers, with HPBD's sizes: 128 KB requests and a pool of 1 MB. */
  static PagerDevice pager(SwapProfile profile, int servers, long bytes, VirtualFabric fabric) {
    AreaMap areas = AreaMap.even(bytes, servers, PAGE_BYTES);
    List<ServerSpec> specs = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      String name = "server" + i;
      Config settings = ConfigFactory.parseString("weft.pager.server { memory = " + areas.areaBytes(i) + " B, store = staged }")
          .withFallback(fabric.config());
      Node node = fabric.addNode(name);
      MemoryServer.start(node, MemoryServer.SERVICE, ServerSettings.from(settings), null, new CopyingProcessor(node.context().clock(),
          profile.bytesPerSecond("server.read-rate"), profile.bytesPerSecond("server.write-rate")));
      specs.add(new ServerSpec(name, MemoryServer.SERVICE, areas.areaBytes(i)));
    }
    Config client = ConfigFactory.parseString("weft.pager.client { pool-size = 1 MiB, max-request = 128 KiB, request-timeout = 1 h }")
        .withFallback(fabric.config());
    Node node = fabric.addNode("client");
    Opening opening = new Opening();
    PagerClient.open(node, "swap", specs, PagerSettings.from(client), null, opening);
    fabric.system().runUntil(() -> opening.device != null || opening.refusal != null, OPEN_LIMIT_NS);
    if (opening.device == null) {
      throw new IllegalStateException("the pager was not opened: " + opening.refusal);
    }
    return opening.device;
  }

  private static final class Opening implements PagerClient.OpenListener {
    private PagerDevice device;
    private String refusal;

    @Override
    public void onOpen(PagerDevice opened) {
      device = opened;
    }

    @Override
    public void onFailed(String reason) {
      refusal = reason;
    }
  }
}
