package dev.weft.mpiio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.mpiio.MpiFile;
import dev.weft.pvfs.mpiio.MpiHints;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.wire.Caller;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.MpiSettings;
import dev.weft.tripwire.mpi.Waiting;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files of the parallel file system from ranks of {@code weft mpi}: each rank is a thread with a NIC, and a client of files on the same node. */
@Tag("actor")
@Timeout(400)
class MpiIoOnRanksTest {
  private static final int RANKS = 3;
  private static final int BLOCK = 100;

  private interface Program {
    void run(MpiRanks ranks, PvfsFileSystem files) throws Exception;
  }

  private static void run(Program program) throws Exception {
    List<String> names = IntStream.range(0, RANKS).mapToObj(rank -> "rank-" + rank).toList();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon.memory = 16 MiB"))) {
      List<DaemonAddress> daemons = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        daemons.add(new DaemonAddress("io-" + i, "pvfs-io"));
        IoDaemon.start(fabric.addNode("io-" + i), "pvfs-io", DaemonSettings.from(fabric.config()));
      }
      Manager.inMemory(fabric, fabric.addNode("manager"), PvfsFileSystem.MANAGER_SERVICE, fabric.config(), daemons,
          () -> System.currentTimeMillis() * 1_000_000);
      MpiSettings settings = MpiSettings.from(fabric.config());
      List<Node> nodes = names.stream().map(fabric::addNode).toList();
      List<Nic> nics = nodes.stream().map(node -> NicDevice.start(fabric, node)).toList();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < RANKS; i++) {
        int rank = i;
        threads.add(Thread.ofPlatform().start(() -> {
          try (PvfsFileSystem files = PvfsFileSystem.connect(fabric, nodes.get(rank), "rank", "manager", Caller.ROOT, fabric.config())) {
            Mpi mpi = Mpi.init(nics.get(rank), Waiting.realTime(fabric, settings.spinNs()), settings, rank, names);
            try {
              program.run(new MpiRanks(mpi.world().dup()), files);
              mpi.close();
            } finally {
              mpi.giveUp();
            }
          } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
          }
        }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  @Test
  void shouldReadWhatOtherRanksWroteBetweenItsOwnBlocks() throws Exception {
    run((ranks, files) -> {
      MpiHints hints = MpiHints.of(Map.of("striping_unit", "4096", "cb_buffer_size", "8192", "cb_nodes", "2"));
      try (MpiFile file = MpiFile.open(ranks, files, "/shared", hints, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        Datatype block = Datatype.bytes(BLOCK);
        file.setView((long) ranks.rank() * BLOCK, block, block.resized((long) BLOCK * RANKS));
        MemorySegment own = Mpi.allocate(300 * BLOCK).fill((byte) (ranks.rank() + 1));
        assertEquals(300 * BLOCK, file.writeAll(own, block, 300));
        file.setView(0, block, block);
        MemorySegment all = Mpi.allocate(300L * BLOCK * RANKS);
        assertEquals(all.byteSize(), file.readAtAll(0, all, block, 300 * RANKS));
        for (int i = 0; i < 300 * RANKS; i++) {
          assertEquals(i % RANKS + 1, all.get(ValueLayout.JAVA_BYTE, (long) i * BLOCK + 7), "block " + i);
        }
        MemorySegment turn = Mpi.allocate(BLOCK).fill((byte) ranks.rank());
        file.writeShared(turn, block, 1);
        ranks.barrier();
        assertEquals(RANKS, file.positionShared());
        file.writeOrdered(turn, block, 1);
        MemorySegment last = Mpi.allocate(BLOCK);
        file.readAt(RANKS + ranks.rank(), last, block, 1);
        assertEquals(-1, last.mismatch(turn), "rank by rank");
      }
    });
  }
}
