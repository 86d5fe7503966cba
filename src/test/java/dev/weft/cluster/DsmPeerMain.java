package dev.weft.cluster;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A JVM with one node of shared memory. Arguments: media driver directory, seed, node name. It is told {@code join} with a way of {@link DsmWorker},
 * {@code start} and {@code stop}, and answers {@code joined}, {@code started}, and {@code right} or {@code wrong} with what it saw.
 */
public final class DsmPeerMain {
  private DsmPeerMain() {}

  public static void main(String[] arguments) throws Exception {
    ClusterFabric fabric = PeerMain.join(Path.of(arguments[0]), List.of(arguments[1]));
    Node node = fabric.addNode(arguments[2]);
    System.out.println("ready");
    DsmWorker worker = null;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      switch (line) {
        case "start" -> {
          worker.start();
          System.out.println("started");
        }
        case "rounds" -> System.out.println("rounds " + worker.rounds());
        case "stop" -> {
          String problem = worker.problem();
          System.out.println((problem == null ? "right: " : "wrong: " + problem + ": ") + worker.account());
        }
        default -> {
          worker = new DsmWorker(fabric, node, line.substring("join ".length()));
          System.out.println("joined");
        }
      }
    }
    fabric.close();
    System.exit(0);
  }
}
