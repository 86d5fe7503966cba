package dev.weft.dsm.node;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.Fault;
import java.util.ArrayList;
import java.util.List;

/** A thread of a {@link DirectModel}; its steps are the single looks and stores of {@code CheckedArray}, between which other nodes' verbs may come. */
final class DirectModelThread {
  enum Phase {
    START,
    /** It may read, and has not yet: nobody knows that. */
    LOOKED,
    /** It has announced a write and has not looked. */
    ANNOUNCED,
    /** It has announced a write, and may. */
    INSIDE,
    /** It has stored. */
    STORED,
    /** It has announced that it holds the minipage, and has not looked. */
    HOLDS,
    /** It holds the minipage, and may. */
    HOLDING,
    WAITING,
    DONE,
    FAILED
  }

  private final DirectModel model;
  private final int node;
  private final List<Program.Op> ops;
  final List<Long> read = new ArrayList<>();
  int at;
  Phase phase;
  Fault fault;

  DirectModelThread(DirectModel model, int node, List<Program.Op> ops) {
    this.model = model;
    this.node = node;
    this.ops = ops;
    this.phase = ops.isEmpty() ? Phase.DONE : Phase.START;
  }

  boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  boolean isEnabled() {
    return phase == Phase.WAITING ? fault.isOver() : !isOver();
  }

  private Program.Op op() {
    return ops.get(at);
  }

  private byte wanted() {
    return op().writes() ? Rights.WRITE : Rights.READ;
  }

  private boolean may() {
    return model.rights(node, op().word()) >= wanted();
  }

  void step() {
    switch (phase) {
      case START -> start();
      case LOOKED -> {
        access();
        advance();
      }
      case ANNOUNCED -> phase = model.plant().announcesFirst() && !may() ? Phase.HOLDS : Phase.INSIDE;
      case INSIDE -> {
        if (model.plant().storesBeforeLeaving()) {
          access();
        }
        phase = Phase.STORED;
      }
      case STORED -> {
        if (!model.plant().storesBeforeLeaving()) {
          access();
        }
        advance();
      }
      case HOLDS -> {
        if (may()) {
          model.took(node, op().word());
          phase = Phase.HOLDING;
        } else {
          faults();
        }
      }
      case HOLDING -> {
        access();
        advance();
      }
      case WAITING -> wake();
      case DONE, FAILED -> throw new IllegalStateException(this + " is over");
    }
  }

  private void start() {
    switch (op().kind()) {
      case PREFETCH, PUSH -> {
        int word = op().word();
        boolean isForAll = op().kind() == Program.Kind.PUSH;
        advance();
        model.prefetch(node, word, isForAll);
      }
      case READ -> phase = may() ? Phase.LOOKED : Phase.HOLDS;
      case WRITE, EXCHANGE -> phase = model.plant().announcesFirst() || may() ? Phase.ANNOUNCED : Phase.HOLDS;
    }
  }

  private void faults() {
    fault = new Fault(op().word(), wanted());
    phase = Phase.WAITING;
    model.fault(node, fault);
  }

  private void access() {
    if (op().reads()) {
      read.add(model.load(node, op().word()));
    }
    if (op().writes()) {
      model.store(node, op().word(), op().value());
    }
  }

  private void advance() {
    at++;
    fault = null;
    phase = at == ops.size() ? Phase.DONE : Phase.START;
  }

  private void wake() {
    if (isRefused()) {
      phase = Phase.FAILED;
    } else {
      phase = model.plant().looksAgain() ? Phase.HOLDS : Phase.HOLDING;
    }
  }

  private boolean isRefused() {
    try {
      fault.check();
      return false;
    } catch (NodeLostException lost) {
      return true;
    }
  }

  /** Whether it has announced something that stands against leaving the node {@code rights}. */
  boolean isInside(int minipage, byte rights) {
    return switch (phase) {
      case ANNOUNCED -> model.plant().announcesFirst() && op().word() == minipage;
      case INSIDE, STORED -> op().word() == minipage && (phase == Phase.INSIDE || model.plant().storesBeforeLeaving());
      case HOLDS, HOLDING -> op().word() == minipage && wanted() > rights;
      case START, LOOKED, WAITING, DONE, FAILED -> false;
    };
  }

  void append(StringBuilder to) {
    to.append(at).append((char) ('a' + phase.ordinal()));
    if (phase == Phase.WAITING && fault.isOver()) {
      to.append(isRefused() ? 'x' : '!');
    }
    for (long value : read) {
      to.append(value).append(',');
    }
  }

  @Override
  public String toString() {
    return "thread " + node + " at " + at + " " + phase + ", read " + read;
  }
}
