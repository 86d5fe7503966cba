package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.fabric.time.RealClock;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A manager whose metadata are on a disk, stopped and started again under clients that go on. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class DurableManagerTest {
  private static final String SETTINGS = "weft.pvfs.manager { grace = 5 s, store.reserve = 1 MiB }\nweft.pvfs.client.reconnect = 50 ms";
  @TempDir private Path directory;
  private FileSystemCluster cluster;
  private PvfsFileSystem files;

  @BeforeEach
  void start() {
    cluster = new FileSystemCluster(2, SETTINGS, directory.resolve("manager"));
    files = cluster.connect(Caller.ROOT);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private static MemorySegment text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private static String read(PvfsFile file) throws PvfsException {
    MemorySegment back = Arena.ofAuto().allocate(100);
    return new String(back.asSlice(0, file.read(back, 0)).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  @Test
  void shouldHaveAllNamesAndKeepWhatClientsHaveOpenWhenItStartsAgain() throws Exception {
    long free = cluster.freeBytes();
    files.mkdir("/d", 0750);
    files.symlink("d", "/link");
    PvfsFile open = files.open("/d/open", CREATE_NEW, READ, WRITE);
    open.write(text("here"), 0);
    PvfsFile unnamed = files.open("/unnamed", CREATE_NEW, READ, WRITE);
    unnamed.write(text("still here"), 0);
    files.unlink("/unnamed");
    PvfsFile lost = cluster.connect(Caller.ROOT).open("/lost", CREATE_NEW, WRITE);
    lost.write(text("nobody's"), 0);
    files.unlink("/lost");
    cluster.stopManager();
    cluster.loseLastClient();
    cluster.restartManager();
    assertEquals(0750, files.attributes("/link").mode() & 07777);
    assertEquals("still here", read(unnamed));
    open.write(text(" and there"), 4);
    open.close();
    assertEquals(14, files.attributes("/d/open").bytes());
    assertTrue(cluster.gets(free - 2 * 4096), "only what is open or has a name is left");
    assertEquals("still here", read(unnamed));
    unnamed.close();
    files.unlink("/d/open");
    assertTrue(cluster.gets(free));
  }

  @Test
  void shouldRefuseADirectoryThatAnotherManagerUsesOrThatHasAnotherNumberOfDaemons() {
    StoreException used = assertThrows(StoreException.class, () -> Manager.durable(cluster.fabric, cluster.fabric.addNode("other"), "other",
        cluster.fabric.config(), cluster.addresses(), directory.resolve("manager"), RealClock::wallNs));
    assertTrue(used.getMessage().contains("another manager (this process, " + ProcessHandle.current().pid()), used.getMessage());
    cluster.stopManager();
    StoreException wrong = assertThrows(StoreException.class, () -> Manager.durable(cluster.fabric, cluster.fabric.addNode("third"), "third",
        cluster.fabric.config(), cluster.addresses().subList(0, 1), directory.resolve("manager"), RealClock::wallNs));
    assertTrue(wrong.getMessage().contains("2 I/O daemons, not of 1"), wrong.getMessage());
  }

  @Test
  void shouldAnswerWhatCameWhileItWasAwayAndCloseWhatNobodyWaitsForAnyMore() throws Exception {
    cluster.stopManager();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedCallException.class, () -> files.open("/late", CREATE_NEW, WRITE));
    assertTrue(Thread.interrupted());
    cluster.restartManager();
    long free = cluster.freeBytes();
    Waits.until("the file that was made late", () -> !missing("/late"));
    cluster.connect(Caller.ROOT).open("/late", WRITE).write(text("some"), 0);
    files.unlink("/late");
    cluster.loseLastClient();
    assertTrue(cluster.gets(free), "it is open nowhere");
  }

  private boolean missing(String path) throws PvfsException {
    try {
      return files.attributes(path) == null;
    } catch (PvfsException failed) {
      assertEquals(Errno.ENOENT, failed.errno());
      return true;
    }
  }
}
