package dev.weft.tripwire.mpi;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/** A job in virtual time, each rank on a host of its own. */
public final class VirtualJob implements AutoCloseable {
  private static final long SECOND = 1_000_000_000L;

  final VirtualFabric fabric;
  final List<String> nodes;
  final List<Nic> nics = new ArrayList<>();
  final MpiSettings settings;
  final RuntimeException[] failures;
  final long[] endNs;

  public VirtualJob(long seed, int ranks, String overrides) {
    fabric = new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE,
        ConfigFactory.parseString("weft.tripwire.mpi { repeat = 1 ms, start-timeout = 1 s }\n" + overrides).resolve());
    settings = MpiSettings.from(fabric.config());
    nodes = IntStream.range(0, ranks).mapToObj(rank -> "rank-" + rank).toList();
    for (String node : nodes) {
      Nic nic = NicDevice.start(fabric, fabric.addNode(node));
      if (!fabric.system().runUntil(() -> nic.lid() != 0, SECOND)) {
        throw new IllegalStateException("no LID");
      }
      nics.add(nic);
    }
    failures = new RuntimeException[ranks];
    endNs = new long[ranks];
  }

  /** Runs the program on all ranks to its end; a failure of a rank is kept in {@link #failures}. */
  public VirtualJob run(BiConsumer<Mpi, AppThread> program) {
    try (AppThreads threads = new AppThreads(fabric.system())) {
      for (int i = 0; i < nodes.size(); i++) {
        int rank = i;
        threads.start("rank-" + rank, me -> {
          runRank(rank, me, program);
          endNs[rank] = me.nowNs();
        });
      }
      threads.runToEnd(100 * SECOND);
    }
    return this;
  }

  private void runRank(int rank, AppThread me, BiConsumer<Mpi, AppThread> program) {
    Waiting waiting = rank % 2 == 0 ? Waiting.sleeping(me, fabric.system()) : Waiting.spinning(me, 500);
    try {
      Mpi mpi = Mpi.init(nics.get(rank), waiting, settings, rank, nodes);
      try {
        program.accept(mpi, me);
        mpi.close();
      } catch (MpiException failed) {
        mpi.giveUp();
        throw failed;
      }
    } catch (MpiException failed) {
      failures[rank] = failed;
    }
  }

  /** Fails if a rank has failed. */
  public VirtualJob expectSuccess() {
    for (RuntimeException failure : failures) {
      if (failure != null) {
        throw failure;
      }
    }
    return this;
  }

  @Override
  public void close() {
    fabric.close();
  }
}
