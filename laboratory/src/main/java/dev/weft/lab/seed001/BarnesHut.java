package dev.weft.lab.seed001;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A Barnes-Hut simulation of bodies in three dimensions (seed 001 section 6.1): each step builds the tree of cells, sums up
 * masses, walks it for every body and moves the bodies. Bodies and cells are records of 44 ints in one array, so that a body with
 * its share of the cells takes what the paper observed (516 MB for 2,097,152 bodies). The numbers are really
 * computed.
 */
public final class BarnesHut implements Program {
  /** Ints of a body or a cell. */
  static final int RECORD = 44;
  private static final int MASS = 0;
  private static final int POSITION = 1;
  private static final int VELOCITY = 4;
  private static final int ACCELERATION = 7;
  private static final int CHILD = 16;
  private static final int CHILDREN = 8;
  private static final int DEPTH_MAX = 40;
  private static final int CURVE_BITS = 10;
  static final float STEP = 0.025f;
  private static final float SOFTENING = 0.0025f;
  private static final float SIZE = 8;
  /** Cells for each body; random bodies need about 0.6. */
  private static final double CELLS_PER_BODY = 0.9;

  private final int bodies;
  private final int steps;
  private final float openingAngle;
  private final long seed;
  private final long psPerInteraction;
  private final int cellsMax;
  private PagedInts memory;
  private int cells;
  private long interactions;

  /**
   * @param openingAngle a cell is taken as one body when its size over its distance is below this
   * @param psPerInteraction what looking at one body or cell costs, picoseconds
   */
  public BarnesHut(int bodies, int steps, float openingAngle, long seed, long psPerInteraction) {
    if (bodies < 2) {
      throw new IllegalArgumentException(bodies + " bodies, must be at least 2");
    }
    this.bodies = bodies;
    this.steps = steps;
    this.openingAngle = openingAngle;
    this.seed = seed;
    this.psPerInteraction = psPerInteraction;
    this.cellsMax = (int) Math.ceil(bodies * CELLS_PER_BODY) + 16;
  }

  @Override
  public int words() {
    return (bodies + cellsMax) * RECORD;
  }

  /** Bodies and cells that were looked at in the walks; known when the run has ended. */
  public long interactions() {
    return interactions;
  }

  /** Ints of the records that were used. */
  public int usedWords() {
    return (bodies + cells) * RECORD;
  }

  @Override
  public void run(PagedInts array) {
    memory = array;
    interactions = 0;
    place();
    for (int step = 0; step < steps; step++) {
      build();
      sum(bodies);
      for (int body = 0; body < bodies; body++) {
        pull(body);
      }
      move();
    }
  }

  private float at(int record, int field) {
    return Float.intBitsToFloat(memory.get(record * RECORD + field));
  }

  private void put(int record, int field, float value) {
    memory.set(record * RECORD + field, Float.floatToRawIntBits(value));
  }

  /** Random places and velocities. Neighbours in space lie near each other in memory, as such codes arrange them. */
  private void place() {
    SplittableRandom random = new SplittableRandom(seed);
    float[][] drawn = new float[bodies][6];
    long[] order = new long[bodies];
    for (int body = 0; body < bodies; body++) {
      for (int axis = 0; axis < 3; axis++) {
        drawn[body][axis] = (float) (random.nextDouble() - 0.5) * SIZE / 2;
        drawn[body][3 + axis] = (float) (random.nextDouble() - 0.5) / 4;
      }
      order[body] = curve(drawn[body]) << Integer.SIZE | body;
    }
    Arrays.sort(order);
    for (int body = 0; body < bodies; body++) {
      float[] values = drawn[(int) order[body]];
      put(body, MASS, 1f / bodies);
      for (int axis = 0; axis < 3; axis++) {
        put(body, POSITION + axis, values[axis]);
        put(body, VELOCITY + axis, values[3 + axis]);
      }
    }
  }

  /** Where a place lies on a curve through the octants: 30 bits, taken in turn from the three axes. */
  private static long curve(float[] place) {
    long key = 0;
    for (int bit = CURVE_BITS - 1; bit >= 0; bit--) {
      for (int axis = 0; axis < 3; axis++) {
        int step = (int) ((place[axis] / SIZE + 0.5f) * (1 << CURVE_BITS));
        key = key << 1 | (step >> bit & 1);
      }
    }
    return key;
  }

  // ---- the tree: a child is a record's number plus 1, or 0 for none; bodies come before cells --------------------------

  private int newCell() {
    if (cells == cellsMax) {
      throw new IllegalStateException("the tree needs more than " + cellsMax + " cells for " + bodies + " bodies");
    }
    int cell = bodies + cells++;
    for (int child = 0; child < CHILDREN; child++) {
      memory.set(cell * RECORD + CHILD + child, 0);
    }
    return cell;
  }

  private void build() {
    cells = 0;
    newCell();
    for (int body = 0; body < bodies; body++) {
      insert(body);
    }
  }

  private void insert(int body) {
    float[] centre = new float[3];
    float half = SIZE / 2;
    int cell = bodies;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
      memory.charge(psPerInteraction);
      int octant = octant(body, centre);
      int slot = cell * RECORD + CHILD + octant;
      int child = memory.get(slot) - 1;
      half /= 2;
      if (child < 0) {
        memory.set(slot, body + 1);
        return;
      }
      shift(centre, octant, half);
      if (child < bodies) {
        int between = newCell();
        memory.set(slot, between + 1);
        memory.set(between * RECORD + CHILD + octant(child, centre), child + 1);
        child = between;
      }
      cell = child;
    }
    // Two bodies at one place: the later one does not pull in this step.
  }

  private int octant(int body, float[] centre) {
    int octant = 0;
    for (int axis = 0; axis < 3; axis++) {
      octant |= at(body, POSITION + axis) >= centre[axis] ? 1 << axis : 0;
    }
    return octant;
  }

  private static void shift(float[] centre, int octant, float half) {
    for (int axis = 0; axis < 3; axis++) {
      centre[axis] += (octant >> axis & 1) == 1 ? half : -half;
    }
  }

  /** Mass and centre of mass of a cell and all below it. */
  private void sum(int cell) {
    float mass = 0;
    float[] moment = new float[3];
    for (int i = 0; i < CHILDREN; i++) {
      int child = memory.get(cell * RECORD + CHILD + i) - 1;
      if (child < 0) {
        continue;
      }
      if (child >= bodies) {
        sum(child);
      }
      memory.charge(psPerInteraction);
      float part = at(child, MASS);
      mass += part;
      for (int axis = 0; axis < 3; axis++) {
        moment[axis] += part * at(child, POSITION + axis);
      }
    }
    put(cell, MASS, mass);
    for (int axis = 0; axis < 3; axis++) {
      put(cell, POSITION + axis, moment[axis] / mass);
    }
  }

  private void pull(int body) {
    float[] place = new float[3];
    float[] sum = new float[3];
    for (int axis = 0; axis < 3; axis++) {
      place[axis] = at(body, POSITION + axis);
    }
    walk(body, bodies, SIZE, place, sum);
    for (int axis = 0; axis < 3; axis++) {
      put(body, ACCELERATION + axis, sum[axis]);
    }
  }

  private void walk(int body, int record, float size, float[] place, float[] sum) {
    if (record == body) {
      return;
    }
    interactions++;
    memory.charge(psPerInteraction);
    float dx = at(record, POSITION) - place[0];
    float dy = at(record, POSITION + 1) - place[1];
    float dz = at(record, POSITION + 2) - place[2];
    float square = dx * dx + dy * dy + dz * dz + SOFTENING;
    if (record >= bodies && size * size > openingAngle * openingAngle * square) {
      for (int i = 0; i < CHILDREN; i++) {
        int child = memory.get(record * RECORD + CHILD + i) - 1;
        if (child >= 0) {
          walk(body, child, size / 2, place, sum);
        }
      }
      return;
    }
    float pull = at(record, MASS) / (square * (float) Math.sqrt(square));
    sum[0] += dx * pull;
    sum[1] += dy * pull;
    sum[2] += dz * pull;
  }

  private void move() {
    float limit = SIZE / 2 * 0.999f;
    for (int body = 0; body < bodies; body++) {
      memory.charge(psPerInteraction);
      for (int axis = 0; axis < 3; axis++) {
        float velocity = at(body, VELOCITY + axis) + at(body, ACCELERATION + axis) * STEP;
        put(body, VELOCITY + axis, velocity);
        put(body, POSITION + axis, Math.clamp(at(body, POSITION + axis) + velocity * STEP, -limit, limit));
      }
    }
  }
}
