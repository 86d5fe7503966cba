package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallersTest {
  @TempDir
  Path proc;

  private void process(int pid, String groups, String capabilities) throws IOException {
    Path directory = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(directory.resolve("status"), "Name:\tGroups: 1\nGroups:\t" + groups
        + " \nNStgid:\t7\nCapPrm:\tffffffffffffffff\nCapEff:\t" + capabilities + "\n");
  }

  @Test
  void shouldReadGroupsAndCapabilitiesOfAProcessEachTime() throws IOException {
    Callers callers = new Callers(proc);
    process(7, "4 24 4294967294", "0000000000000000");
    assertEquals(new Caller(10, 20, List.of(4, 24, -2)), callers.of(7, 10, 20));
    process(7, "5", "000001ffffffffff");
    assertEquals(new Caller(10, 20, List.of(5), Caller.ALL), callers.of(7, 10, 20));
    process(7, "", "0000000000000004");
    assertEquals(new Caller(10, 20, List.of(), Caller.DAC_READ_SEARCH), callers.of(7, 10, 20));
  }

  @Test
  void shouldSayThatThereAreMoreGroupsThanARequestHasRoomFor() throws IOException {
    process(7, IntStream.rangeClosed(1, Caller.GROUPS_MAX).mapToObj(Integer::toString).collect(Collectors.joining(" ")), "0");
    Caller most = new Callers(proc).of(7, 10, 20);
    assertEquals(List.of(Caller.GROUPS_MAX, 0L), List.of(most.groups().size(), most.capabilities()));
    process(7, IntStream.rangeClosed(1, Caller.GROUPS_MAX + 1).mapToObj(Integer::toString).collect(Collectors.joining(" ")), "0");
    Caller more = new Callers(proc).of(7, 10, 20);
    assertEquals(List.of(Caller.GROUPS_MAX, Caller.MORE_GROUPS), List.of(more.groups().size(), more.capabilities()));
  }

  @Test
  void shouldKnowNoGroupsOfAProcessThatHasGoneAndTrustTheKernelForOneThatItCannotSee() {
    assertEquals(new Caller(10, 20, List.of()), new Callers(proc).of(8, 10, 20));
    assertEquals(Caller.ALL | Caller.MORE_GROUPS, new Callers(proc).of(0, 10, 20).capabilities());
  }
}
