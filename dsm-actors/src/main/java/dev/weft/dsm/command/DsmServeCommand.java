package dev.weft.dsm.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.mmu.MmuException;
import dev.weft.dsm.mmu.MmuServer;
import dev.weft.dsm.mmu.MmuSettings;
import dev.weft.dsm.node.DsmNode;
import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.EndOfProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft dsm serve}. */
@Command(
    name = "serve",
    description = {"Starts nodes of a shared memory, and lets programs of this user take part in it by plain loads and stores: each node in a directory of",
        "its own, DIR/0, DIR/1 and so on. Runs until Ctrl-C or SIGTERM; programs that have memory mapped then are ended by a signal."})
public final class DsmServeCommand implements Callable<Integer> {
  private static final int NODES_MAX = 64;

  @Spec private CommandSpec spec;

  @Option(names = "--nodes", paramLabel = "N", defaultValue = "2", description = "nodes, 1 to 64 (default: ${DEFAULT-VALUE})")
  private int nodes;

  @Option(names = "--mmu", required = true, paramLabel = "DIR", description = "a directory that only this user can access; created if missing")
  private Path directory;

  @Override
  public Integer call() {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw new ParameterException(spec.commandLine(), "--nodes is " + nodes + ", must be from 1 to " + NODES_MAX);
    }
    CountDownLatch end = new CountDownLatch(1);
    EndOfProcess.endOnSignal(end::countDown);
    try {
      serve(end);
      return ExitCode.OK;
    } finally {
      EndOfProcess.done();
    }
  }

  private void serve(CountDownLatch end) {
    Config config = ConfigFactory.load();
    List<AutoCloseable> open = new ArrayList<>();
    try {
      PrivateDirectory.create(directory, "name another directory");
    } catch (IOException refused) {
      throw new CommandFailure(refused.getMessage(), refused);
    }
    try (LocalFabric fabric = LocalFabric.start(config)) {
      try {
        for (int i = 0; i < nodes; i++) {
          DsmNode node = DsmNode.join(fabric, fabric.addNode("dsm-" + i), "serve", "dsm-0");
          open.add(node);
          MmuServer server = MmuServer.start(node, MmuSettings.from(config), directory.resolve(Integer.toString(i)));
          open.add(server);
          say("node " + i + " serves applications in " + server.directory());
        }
        end.await();
      } finally {
        for (AutoCloseable one : open.reversed()) {
          one.close();
        }
      }
    } catch (IOException | MmuException refused) {
      throw new CommandFailure(refused.getMessage(), refused);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failed) {
      throw failed;
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void say(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
