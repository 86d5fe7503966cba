package dev.weft.lab.trials.dsm.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.mmu.MmuException;
import dev.weft.dsm.mmu.MmuServer;
import dev.weft.dsm.mmu.MmuSettings;
import dev.weft.dsm.mmu.ProtectTimes;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures the protection of groups of pages of an application in a process of its own. */
final class ProtectBench {
  static final String NAME = "protect";
  private static final int STOP_SECONDS = 5;

  private final int iterations;

  ProtectBench(int iterations) {
    this.iterations = iterations;
  }

  /** Throws CommandFailure if this machine forbids it, or the application fails. */
  List<Bench.Row> measure() {
    Config config = ConfigFactory.load();
    Path directory;
    try {
      directory = Files.createTempDirectory("weft-dsm-");
    } catch (IOException e) {
      throw new CommandFailure("cannot create a directory: " + e.getMessage(), e);
    }
    try (LocalFabric fabric = LocalFabric.start(config);
        DsmNode node = DsmNode.join(fabric, fabric.addNode("dsm-0"), "protect", "dsm-0");
        MmuServer server = MmuServer.start(node, MmuSettings.from(config), directory)) {
      ChildJvm application = ChildJvm.start("the application", List.of("dsm-pages", directory.toString()), directory.resolve("log"));
      Thread measuring = Thread.currentThread();
      application.whenEnded(() -> {
        if (application.hasFailed()) {
          measuring.interrupt(); // The measuring thread waits for the application at a barrier.
        }
      });
      try {
        List<Bench.Row> rows = new ArrayList<>();
        new ProtectTimes(node, server, iterations).measure().forEach((what, latency) -> rows.add(new Bench.Row(what, latency)));
        return rows;
      } catch (IllegalStateException failed) {
        throw new CommandFailure(failed.getMessage() + "; " + application.obituaryWithReason(), failed);
      } finally {
        application.stop(STOP_SECONDS);
        Files.deleteIfExists(directory.resolve("log"));
      }
    } catch (IOException | MmuException e) {
      throw new CommandFailure(e.getMessage(), e);
    } finally {
      delete(directory);
    }
  }

  private static void delete(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException left) {
      throw new CommandFailure(directory + " is left: " + left.getMessage(), left);
    }
  }
}
