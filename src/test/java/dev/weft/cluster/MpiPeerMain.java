package dev.weft.cluster;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Datatype;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.MpiException;
import dev.weft.tripwire.mpi.MpiSettings;
import dev.weft.tripwire.mpi.Op;
import dev.weft.tripwire.mpi.Waiting;
import dev.weft.tripwire.nic.Nic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * A JVM with one rank, which is the number behind the dash of its node's name, of a job of {@link #NODES}. It runs {@link #endless} and
 * writes the class of the error that ended it to the file {@link #outcome}. Arguments: media driver directory, seed, node name.
 */
public final class MpiPeerMain {
  static final List<String> NODES = List.of("rank-0", "rank-1", "rank-2", "rank-3");

  private MpiPeerMain() {}

  /** Where a rank says how it ended. */
  static Path outcome(Path driver, String node) {
    return driver.resolveSibling(node + ".outcome");
  }

  public static void main(String[] arguments) throws Exception {
    Path driver = Path.of(arguments[0]);
    String node = arguments[2];
    ClusterFabric fabric = PeerMain.join(driver, List.of(arguments[1]));
    Nic nic = NicDevice.start(fabric, fabric.addNode(node));
    Thread.ofPlatform().daemon().start(() -> {
      MpiException end = endless(fabric, nic, NODES.indexOf(node), round -> { });
      try {
        Files.writeString(outcome(driver, node), end.errorClass().name());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    System.out.println("ready");
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    fabric.close();
    System.exit(0);
  }

  /**
   * Sums of all ranks, short and long, until the job fails; a wrong sum throws.
   *
   * @param onRound told after each round
   */
  static MpiException endless(ClusterFabric fabric, Nic nic, int rank, IntConsumer onRound) {
    MpiSettings settings = MpiSettings.from(fabric.config());
    try {
      Mpi mpi = Mpi.init(nic, Waiting.realTime(fabric, settings.spinNs()), settings, rank, NODES);
      try {
        for (int round = 1; ; round++) {
          sum(mpi.world(), round % 10 == 0 ? 50_000 : 1, round);
          onRound.accept(round);
        }
      } finally {
        mpi.giveUp();
      }
    } catch (MpiException end) {
      return end;
    }
  }

  private static void sum(Communicator world, int words, int round) {
    MemorySegment send = Mpi.allocate(8L * words);
    MemorySegment all = Mpi.allocate(8L * words);
    for (int i = 0; i < words; i++) {
      send.setAtIndex(ValueLayout.JAVA_LONG, i, (long) round * i + world.rank());
    }
    world.allreduce(send, all, Datatype.LONG, Op.SUM);
    for (int i = 0; i < words; i++) {
      if (all.getAtIndex(ValueLayout.JAVA_LONG, i) != 4L * round * i + 6) {
        throw new IllegalStateException("word " + i + " of round " + round + " is " + all.getAtIndex(ValueLayout.JAVA_LONG, i));
      }
    }
  }
}
