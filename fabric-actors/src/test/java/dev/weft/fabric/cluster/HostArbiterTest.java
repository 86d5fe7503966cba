package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostArbiterTest {
  @TempDir private Path directory;

  @Test
  void shouldLetTheFirstGoOnAndItsOthersNeverMore() throws Exception {
    HostArbiter first = new HostArbiter(directory);
    HostArbiter second = new HostArbiter(directory);
    assertTrue(first.mayGoOn(List.of(1L), List.of(2L, 3L)));
    assertFalse(second.mayGoOn(List.of(2L, 3L), List.of(1L)));
    assertFalse(second.mayGoOn(List.of(3L, 4L), List.of(1L)), "one of a side is enough");
    assertTrue(first.mayGoOn(List.of(1L), List.of(2L, 3L)), "again");
    assertTrue(second.mayGoOn(List.of(7L), List.of(8L)), "another fabric");
  }

  /** A side whose others were killed is alone in asking. */
  @Test
  void shouldLetASideGoOnWhoseOthersDoNotAsk() throws Exception {
    for (long last : new long[] {1, 2}) {
      HostArbiter arbiter = new HostArbiter(Files.createDirectory(directory.resolve("fabric-" + last)));
      assertTrue(arbiter.mayGoOn(List.of(last), List.of(3 - last)));
    }
  }

  @Test
  void shouldForgetTheOldestOnly() throws Exception {
    HostArbiter arbiter = new HostArbiter(directory);
    for (long i = 0; i < 5_000; i += 100) {
      assertTrue(arbiter.mayGoOn(List.of(-1L), LongStream.range(i, i + 100).boxed().toList()));
    }
    assertTrue(arbiter.mayGoOn(List.of(0L), List.of()), "forgotten");
    assertFalse(arbiter.mayGoOn(List.of(4_999L), List.of()));
    assertEquals(4096 * Long.BYTES, Files.size(directory.resolve("given-up")));
  }

  @Test
  void shouldChooseOneOfTwoThatAskAtTheSameTime() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (long round = 0; round < 200; round++) {
        long here = 2 * round;
        long there = here + 1;
        List<Callable<Boolean>> asking = List.of(() -> new HostArbiter(directory).mayGoOn(List.of(here), List.of(there)),
            () -> new HostArbiter(directory).mayGoOn(List.of(there), List.of(here)));
        List<Boolean> answers = new ArrayList<>();
        for (Future<Boolean> answer : threads.invokeAll(asking)) {
          answers.add(answer.get());
        }
        assertEquals(1, answers.stream().filter(Boolean::booleanValue).count(), "round " + round);
      }
    }
  }
}
