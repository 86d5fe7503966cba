package dev.weft.dsm.mmu;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** Measures faults of an application: run by hand; see docs/internals/page-protection.md. */
final class FaultTimes {
  private static final int PAGES = 256;

  /** @param args bytes of a minipage, rounds */
  public static void main(String[] args) throws Exception {
    if (args.length > 2) {
      application(Path.of(args[2]), Integer.parseInt(args[0]), Integer.parseInt(args[1]));
      return;
    }
    int stride = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 16 MiB\nweft.hca.pin-memory = false")
            .withFallback(ConfigFactory.systemProperties()));
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0");
        MmuServer server = MmuServer.start(zero, MmuSettings.from(fabric.config()), Files.createTempDirectory("mmu").resolve("d"))) {
      SharedLongs pages = one.longs("pages", (long) PAGES * stride / 8, SharingUnit.bytes(stride));
      ApplicationProcess application = ApplicationProcess.of(ApplicationProcess.jvm(FaultTimes.class, args[0], args[1], server.directory().toString()));
      for (int round = 0; round < rounds; round++) {
        for (int page = 0; page < PAGES; page++) {
          pages.set((long) page * stride / 8, round);
        }
        one.barrier("b", 2).await();
        one.barrier("b", 2).await();
        for (int page = 0; page < PAGES; page++) {
          pages.set((long) page * stride / 8, round);
        }
        one.barrier("b", 2).await();
        one.barrier("b", 2).await();
      }
      for (String line = application.answer(); !line.equals("(end)"); line = application.answer()) {
        System.out.println(line);
      }
      System.out.println(zero.inspect());
      System.out.println("retries " + server.manager().retries() + ", frames " + server.frames());
    }
  }

  private static void application(Path directory, int stride, int rounds) {
    long[][] ns = new long[3][PAGES * rounds];
    try (MmuClient client = new MmuClient(directory)) {
      MappedView view = client.longs("pages", (long) PAGES * stride / 8, SharingUnit.bytes(stride));
      int[] at = new int[3];
      for (int round = 0; round < rounds; round++) {
        client.barrier("b", 2);
        for (int page = 0; page < PAGES; page++) {
          long start = System.nanoTime();
          long value = view.get((long) page * stride / 8);
          ns[0][at[0]++] = System.nanoTime() - start;
          if (value != round) {
            throw new IllegalStateException("page " + page + " has " + value + ", must be " + round);
          }
        }
        for (int page = 0; page < PAGES; page++) {
          long start = System.nanoTime();
          view.set((long) page * stride / 8, round);
          ns[1][at[1]++] = System.nanoTime() - start;
        }
        client.barrier("b", 2);
        client.barrier("b", 2);
        for (int page = 0; page < PAGES; page++) {
          long start = System.nanoTime();
          view.set((long) page * stride / 8, round);
          ns[2][at[2]++] = System.nanoTime() - start;
        }
        client.barrier("b", 2);
      }
    }
    String[] names = {"read miss", "upgrade", "write miss"};
    for (int i = 0; i < 3; i++) {
      long[] warm = Arrays.copyOfRange(ns[i], ns[i].length / 5, ns[i].length);
      Arrays.sort(warm);
      System.out.println(String.format(Locale.ROOT, "%-10s median %.1f, mean %.1f, 90%% %.1f, 99%% %.1f us", names[i], warm[warm.length / 2] / 1e3,
          Arrays.stream(warm).average().orElseThrow() / 1e3, warm[warm.length * 9 / 10] / 1e3, warm[warm.length * 99 / 100] / 1e3));
    }
  }
}
