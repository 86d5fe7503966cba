package dev.weft.dsm.node;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.hca.node.LocalFabric;

/** Threads of two nodes that add to words of each other without end; says so when all nodes fault. The first argument is the number of threads. */
final class FaultingMain {
  private static final int FAULTS = 200;

  private FaultingMain() {}

  /** With a second argument a hook closes nodes and fabric when the JVM is told to end; without one, only what the libraries do happens. */
  public static void main(String[] arguments) throws InterruptedException {
    int threads = Integer.parseInt(arguments[0]);
    LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.dsm.memory = 1 MiB"));
    DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
    DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0");
    for (int i = 0; i < threads; i++) {
      int word = i / 2;
      SharedLongs words = (i % 2 == 0 ? zero : one).longs("words", threads / 2, SharingUnit.bytes(8));
      Thread.ofPlatform().start(() -> {
        while (true) {
          words.getAndAdd(word, 1);
        }
      });
    }
    if (arguments.length > 1) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        one.close();
        zero.close();
        fabric.close();
        System.out.println("closed");
      }));
    }
    while (zero.inspect().writeFaults() < FAULTS || one.inspect().writeFaults() < FAULTS) {
      Thread.sleep(1);
    }
    System.out.println("faulting");
  }
}
