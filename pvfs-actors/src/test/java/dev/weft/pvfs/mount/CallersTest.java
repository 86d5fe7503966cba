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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class CallersTest {
  private static final long SECOND_NS = 1_000_000_000L;

  @TempDir
  Path proc;

  private void process(int pid, String name, long start, String groups) throws IOException {
    Path directory = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    String before = IntStream.range(0, 18).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    Files.writeString(directory.resolve("stat"), pid + " (" + name + ") S " + before + " " + start + " 99 99\n");
    Files.writeString(directory.resolve("status"), "Name:\t" + name + "\nGroups:\t" + groups + " \nNStgid:\t7\n");
  }

  @Test
  void shouldReadTheGroupsOfAProcessAndRememberThemForAWhile() throws IOException {
    Callers callers = new Callers(proc);
    process(7, "a) S (b", 1000, "4 24 4294967294");
    assertEquals(new Caller(10, 20, List.of(4, 24, -2)), callers.of(7, 10, 20, 0));
    process(7, "a) S (b", 1000, "5");
    assertEquals(List.of(4, 24, -2), callers.of(7, 10, 20, SECOND_NS - 1).groups());
    assertEquals(List.of(5), callers.of(7, 10, 20, SECOND_NS + 1).groups());
  }

  @Test
  void shouldTakeAnotherProcessOfTheSameNumberForAnother() throws IOException {
    Callers callers = new Callers(proc);
    process(7, "a", 1000, "4");
    assertEquals(List.of(4), callers.of(7, 10, 20, 0).groups());
    process(7, "b", 2000, "6");
    assertEquals(List.of(6), callers.of(7, 10, 20, 1).groups());
    assertEquals(11, callers.of(7, 11, 20, 2).uid());
  }

  @Test
  void shouldKnowNoGroupsOfAProcessThatHasGone() {
    assertEquals(new Caller(10, 20, List.of()), new Callers(proc).of(8, 10, 20, 0));
  }
}
