package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.settings.Engine;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.hca.node.RoleContext;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The common options of commands with teams. */
final class TeamOptions {
  static final String MMU = "mmu";
  private static final int NODES_MAX = 64;
  private static final int THREADS_MAX = 64;

  @Option(names = "--nodes", paramLabel = "N", defaultValue = "2", description = "nodes, 1 to 64 (default: ${DEFAULT-VALUE})")
  private int nodes;

  @Option(names = "--threads", paramLabel = "N", defaultValue = "1", description = "threads of each node, 1 to 64 (default: ${DEFAULT-VALUE})")
  private int threads;

  @Option(names = "--jvms", paramLabel = "N", defaultValue = "1",
      description = "JVMs among which the nodes are divided, 1 to the number of nodes (default: ${DEFAULT-VALUE})")
  private int jvms;

  @Option(names = "--context", paramLabel = "CONTEXT", description = "execution context of the protocol: isr, task-queue, process or polling")
  private String context;

  @Option(names = "--engine", paramLabel = "ENGINE", description = "engine that keeps memory coherent: request or synchronous")
  private String engine;

  @Option(names = "--home", paramLabel = "HOME", description = "homes of minipages: fixed, centralized, or dynamic (at the last writer)")
  private String home;

  @Option(names = "--access", paramLabel = "ACCESS", defaultValue = "checked",
      description = "how threads access memory: checked, or mmu: by plain loads and stores in processes of their own (default: ${DEFAULT-VALUE})")
  private String access;

  boolean isMmu() {
    return MMU.equalsIgnoreCase(access);
  }

  /** Throws ParameterException if the options do not fit together. */
  Team team(CommandSpec spec, int nodesMin) {
    require(spec, nodes >= nodesMin && nodes <= NODES_MAX, "--nodes is " + nodes + ", must be from " + nodesMin + " to " + NODES_MAX);
    require(spec, threads >= 1 && threads <= THREADS_MAX, "--threads is " + threads + ", must be from 1 to " + THREADS_MAX);
    require(spec, jvms >= 1 && jvms <= nodes, "--jvms is " + jvms + ", must be from 1 to " + nodes + ", the number of nodes");
    List<String> contexts = Arrays.stream(RoleContext.values()).filter(one -> one != RoleContext.BLOCKING).map(RoleContext::configName).toList();
    String wanted = context == null ? null : context.toLowerCase(Locale.ROOT);
    require(spec, wanted == null || contexts.contains(wanted), "--context is " + context + ", must be one of " + String.join(", ", contexts));
    String wantedEngine = engine == null ? null : engine.toLowerCase(Locale.ROOT);
    require(spec, wantedEngine == null || Arrays.stream(Engine.values()).anyMatch(one -> one.configName().equals(wantedEngine)), "--engine is "
        + engine + ", must be request or synchronous");
    require(spec, isMmu() || "checked".equalsIgnoreCase(access), "--access is " + access + ", must be checked or mmu");
    require(spec, !isMmu() || !"synchronous".equals(wantedEngine), "--access mmu needs --engine request");
    String wantedHome = home == null ? null : home.toLowerCase(Locale.ROOT);
    require(spec, wantedHome == null || Arrays.stream(HomePlacement.values()).anyMatch(one -> one.configName().equals(wantedHome)), "--home is " + home
        + ", must be fixed, centralized or dynamic");
    require(spec, !HomePlacement.DYNAMIC.configName().equals(wantedHome) || !"synchronous".equals(wantedEngine),
        "--home dynamic needs --engine request: directory entries of the synchronous engine cannot move");
    return new Team(nodes, threads, jvms, wanted, wantedEngine, wantedHome, isMmu());
  }

  /** Throws ParameterException if there is no such consistency. */
  static Consistency consistency(CommandSpec spec, String name) {
    try {
      return Consistency.of("--consistency", name.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(spec.commandLine(), unknown.getMessage(), unknown);
    }
  }

  static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
