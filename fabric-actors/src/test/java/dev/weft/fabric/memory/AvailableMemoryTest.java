package dev.weft.fabric.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files of a system say, here made up. */
class AvailableMemoryTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path root;

  private void file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }

  private void machine(long availableMib) throws IOException {
    file("proc/meminfo", "MemTotal:       99999999 kB\nMemAvailable:   " + availableMib * 1024 + " kB\nSwapTotal: 0 kB");
  }

  @Test
  void shouldReadThisMachine() {
    assertTrue(AvailableMemory.bytes() > MIB, "available: " + AvailableMemory.bytes());
    assertTrue(AvailableMemory.bytes() < AvailableMemory.totalBytes(), "total: " + AvailableMemory.totalBytes());
  }

  @Test
  void shouldKnowNoLimitWhereTheSystemSaysNothing() {
    assertEquals(Long.MAX_VALUE, AvailableMemory.bytes(root));
    assertEquals(Long.MAX_VALUE, AvailableMemory.totalBytes(root));
  }

  @Test
  void shouldSayWhatTheMachineHasAvailable() throws Exception {
    machine(700);
    file("proc/self/cgroup", "0::/");
    assertEquals(700 * MIB, AvailableMemory.bytes(root));
  }

  @Test
  void shouldTakeTheTightestOfTheControlGroupsThatTheProcessIsIn() throws Exception {
    machine(700);
    file("proc/self/cgroup", "0::/outer/inner");
    file("sys/fs/cgroup/outer/memory.max", Long.toString(600 * MIB));
    file("sys/fs/cgroup/outer/memory.current", Long.toString(350 * MIB));
    file("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file " + 30 * MIB + "\nactive_file " + 20 * MIB);
    file("sys/fs/cgroup/outer/inner/memory.max", "max");
    file("sys/fs/cgroup/outer/inner/memory.current", Long.toString(10 * MIB));
    assertEquals(300 * MIB, AvailableMemory.bytes(root));
    file("sys/fs/cgroup/outer/inner/memory.max", Long.toString(100 * MIB));
    assertEquals(90 * MIB, AvailableMemory.bytes(root));
    assertEquals(100 * MIB, AvailableMemory.totalBytes(root));
  }

  @Test
  void shouldUnderstandControlGroupsOfVersion1() throws Exception {
    machine(700);
    // As in a container without a name space for groups: the path is the host's, the group is mounted at the root.
    file("proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", Long.toString(512 * MIB));
    file("sys/fs/cgroup/memory/memory.usage_in_bytes", Long.toString(112 * MIB));
    file("sys/fs/cgroup/memory/memory.stat", "total_inactive_file " + 12 * MIB + "\ninactive_file 5");
    assertEquals(412 * MIB, AvailableMemory.bytes(root));
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    assertEquals(700 * MIB, AvailableMemory.bytes(root));
  }

  @Test
  void shouldLeaveNothingWhereALimitHasBeenPassed() throws Exception {
    machine(700);
    file("proc/self/cgroup", "0::/");
    file("sys/fs/cgroup/memory.max", "1000");
    file("sys/fs/cgroup/memory.current", "2000");
    assertEquals(0, AvailableMemory.bytes(root));
  }
}
