package dev.weft.lab.trials.dsm.command;

import java.util.List;

/** Makes tasks from their words. */
final class Tasks {
  private Tasks() {}

  /** Throws IllegalArgumentException if the words name no task. */
  static Task of(List<String> words) {
    return switch (words.isEmpty() ? "" : words.getFirst()) {
      case RunTask.NAME -> new RunTask(words);
      case FaultBench.NAME -> new FaultBench(words);
      case HopsBench.NAME -> new HopsBench(words);
      case LockBench.NAME -> new LockBench(words);
      case BarrierBench.NAME -> new BarrierBench(words);
      case LitmusTask.NAME -> new LitmusTask(words);
      case RecordTask.NAME -> new RecordTask(words);
      case MutexTask.NAME -> new MutexTask(words);
      case FalseSharingBench.NAME -> new FalseSharingBench(words);
      default -> throw new IllegalArgumentException("no task has the words " + words);
    };
  }
}
