package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.fuse.CacheMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that have locked files of two mounts when the manager is stopped and started again. */
@Tag("client")
@Timeout(240)
class ManagerRestartOnMountsTest {
  private static final String SETTINGS = "weft.pvfs.manager { grace = 10 m, lease = 10 m, store.reserve = 1 MiB }\nweft.pvfs.client.reconnect = 20 ms";

  @TempDir private Path directory;

  @BeforeAll
  static void assumePossible() {
    Mounted.assumePossible();
    Needs.program("flock", "util-linux");
    Needs.program("python3", "python3");
  }

  private void await(String file, CompletableFuture<?> script) throws Exception {
    while (!Files.exists(directory.resolve(file))) {
      if (script.isDone()) {
        script.join();
      }
      Thread.sleep(5);
    }
  }

  @Test
  void shouldKeepTheirLocksAndTheOneThatWaits() throws Exception {
    FileSystemCluster cluster = new FileSystemCluster(1, SETTINGS, directory.resolve("manager"));
    try (Mounted mounted = new Mounted(cluster, CacheMode.METADATA, CacheMode.METADATA)) {
      String hold = "python3 " + mounted.program("hold.py");
      String until = "until [ -e %s ]; do sleep .02; done; ";
      String script = "cd " + directory + "; echo > $A/f; " + hold + " $B/f ranged go & held=$!; " + until.formatted("ranged")
          + "flock $A/f sh -c 'touch locked; " + until.formatted("go") + "echo one >> $A/log' & first=$!; " + until.formatted("locked")
          + "flock $B/f sh -c 'echo two >> $B/log' & second=$!; touch asks; " + until.formatted("restarted")
          + "if flock -n $B/f true; then exit 7; fi; if " + hold + " $A/f 2> /dev/null; then exit 8; fi; touch go;"
          + " wait $held; wait $first; wait $second; cat $A/log";
      CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> {
        try {
          return mounted.run(60, script);
        } catch (Exception failed) {
          throw new IllegalStateException(failed);
        }
      }, OwnThread::run);
      await("asks", said);
      while (cluster.managerState().lockWaiters() == 0) {
        assertFalse(said.isDone(), "it has ended");
      }
      cluster.restartManager();
      Files.createFile(directory.resolve("restarted"));
      assertEquals("one\ntwo\n", said.get());
      assertEquals(2, cluster.managerState().locksClaimed());
      assertEquals(0, cluster.managerState().claimsRefused());
      mounted.assertQuiet();
      assertEquals(0, cluster.managerState().locks() + cluster.managerState().lockWaiters());
    }
  }
}
