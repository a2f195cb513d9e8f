/* The online schema migration (rules: search 4.4) with its writers, its workers and staff, as a model for Spin.

   Properties: The active table contains every acknowledged write. When the copy is compared with its source, they are
   equal, unless a write is known to have missed the copy. After a rollback, only a new start changes the active table
   again. Every writer makes progress, and every run ends.

   README.md in this folder describes how to read and run the model. */

#ifndef WRITES
#define WRITES 1       /* writes by each of the two writers */
#endif
#ifndef LOSSES
#define LOSSES 1       /* workers that may be killed, at any step */
#endif
#ifndef CLAIMS
#define CLAIMS 2       /* claims of a run by workers, at any step; a worker that claims the run once more ends it as failed */
#endif
#ifndef REFUSALS
#define REFUSALS 1     /* writes that the target rejects without an error for the writer (4.4, 10) */
#endif
#ifndef STARTS
#define STARTS 2
#endif

#define WRITERS 2
#define ROWS 2
#define OLD 0
#define NEW 1
#define NO_TABLE 2
#define ABSENT 0

mtype:phase = { PREPARING, BACK_FILL, VERIFYING, SWITCHING };
mtype:status = { IDLE, IN_PROGRESS, COMPLETED, FAILED };

/* Committed data. Every row of the old table starts with the value 1, except the last row, which does not exist. */
byte cells[2 * ROWS];
#define CELL(table, id) cells[(table) * ROWS + (id)]
byte physical = OLD;
byte mirror = NO_TABLE;
bool missed[2];                /* search_migration_errors: a write did not reach this table */

/* The run, a row of search_migrations; `run_held` is that row's lock. */
byte run_id = 0;
byte fence = 0;
byte next_row = 0;             /* last_key: the rows before it have been copied */
mtype:status status = IDLE;
mtype:phase phase = PREPARING;
bool run_held = false;
bool window = false;           /* a rollback is allowed */

/* Locks of the collection and of its rows. Only the copy takes share locks. It holds the run, so only one copy is active. */
byte sharing = 0;
bool exclusive = false;
bool writing[ROWS];
bool shared[ROWS];

/* The observer's state, which no process of the platform has. */
byte acknowledged[ROWS];       /* the last value whose write was acknowledged */
byte written = 0;
byte refusals = 0;
byte losses = 0;
bool rolled_back = false;      /* and no migration has started since */
byte seen_by_check;

inline check_that_nothing_is_lost() {
    d_step {
        seen_by_check = 0;
        do
        :: seen_by_check < ROWS ->
            assert(CELL(physical, seen_by_check) == acknowledged[seen_by_check]);
            seen_by_check++
        :: else -> break
        od;
        seen_by_check = 0;
        assert(!rolled_back || physical == OLD)
    }
}

/* One write after the other. Each is a transaction that locks the collection, reads the names of the tables, locks the
   row, writes both tables, and commits. */
proctype Writer(byte me) {
    byte count = 0, id, value, home, other;
    do
    :: count < WRITES ->
        if :: id = 0 :: id = ROWS - 1 fi;
        if :: value = ABSENT :: value = 2 + me * WRITES + count fi;
#ifdef ONE_STATEMENT           /* a mistake: the statement's snapshot is older than the lock for which it waits */
        home = physical;
        atomic { !exclusive -> sharing++ };
#else
        atomic { !exclusive -> sharing++ };
        home = physical;
#endif
        atomic { !writing[id] && !(shared[id] && CELL(home, id) != ABSENT) -> writing[id] = true };
        /* The trigger of the written table reads the alias again and acts only for the active table. */
        atomic { if :: physical == home -> other = mirror :: else -> other = NO_TABLE fi };
        atomic {
            CELL(home, id) = value;
            if
            :: other != NO_TABLE -> CELL(other, id) = value
            :: other != NO_TABLE && refusals < REFUSALS -> missed[other] = true; refusals++
            :: other == NO_TABLE
            fi;
            acknowledged[id] = value;
            writing[id] = false;
            sharing--;
            written++;
            count++;
            id = 0; value = 0; home = 0; other = 0;    /* clear unused values to keep the state space small */
            check_that_nothing_is_lost()
        }
    :: else -> break
    od
}

/* A worker's steps are rejected when another worker has the run or the run has ended. */
#define IS_ITS_OWN (run_id == my_run && fence == my_fence && status == IN_PROGRESS)
#ifdef NO_FENCE                /* a mistake */
#define HOLDS (true)
#else
#define HOLDS IS_ITS_OWN
#endif

/* A worker may be killed before any step. Its locks and its uncommitted changes are lost. */
#define MAY_DIE losses < LOSSES -> losses++; goto gone

proctype Worker() {
    byte my_run, my_fence, row, value;
    bool alike;

end_claim:
    if
    :: MAY_DIE
    :: atomic { status == IN_PROGRESS && !run_held ->
            fence++;
            my_run = run_id;
            my_fence = fence;
            if :: fence > CLAIMS -> status = FAILED; mirror = NO_TABLE :: else fi
        }
    fi;

    do
    :: MAY_DIE
    :: !HOLDS -> goto end_claim
    :: HOLDS && missed[NEW] && phase != PREPARING ->   /* _check_run, before every step */
        atomic {
            !run_held;
            if :: HOLDS -> status = FAILED; mirror = NO_TABLE :: else fi
        }

    :: HOLDS && phase == PREPARING ->
        atomic { !run_held; if :: HOLDS -> run_held = true; window = false :: else -> goto end_claim fi };
        if
        :: mirror == NEW -> phase = VERIFYING          /* the mirror that a rollback left is complete */
        :: else ->
#ifndef NO_LOCK_FOR_THE_MIRROR /* a mistake: a writer that has already read the alias writes to only one table */
            if
            :: atomic { sharing == 0 && !exclusive -> exclusive = true }
            :: sharing > 0 -> run_held = false; goto end_claim       /* lock_timeout */
            fi;
#endif
            atomic { mirror = NEW; phase = BACK_FILL; next_row = 0; exclusive = false }
        fi;
        run_held = false

    :: HOLDS && phase == BACK_FILL ->
        atomic { !run_held; if :: HOLDS && phase == BACK_FILL -> run_held = true :: else -> goto end_claim fi };
        row = next_row;
        if
        :: row == ROWS -> atomic { phase = VERIFYING; run_held = false }
        :: else ->
#ifdef NO_SHARE_LOCK           /* a mistake: a row that is deleted during the copy reappears */
            value = CELL(OLD, row);
#else
            if
            :: losses < LOSSES -> losses++; run_held = false; goto gone
            :: atomic { CELL(OLD, row) != ABSENT && !writing[row] -> value = CELL(OLD, row); shared[row] = true }
            :: CELL(OLD, row) == ABSENT                /* the copy neither sees an uncommitted row nor waits for it */
            fi;
#endif
            if
            :: losses < LOSSES -> atomic { losses++; shared[row] = false; run_held = false; goto gone }
            :: atomic {
                    if :: CELL(NEW, row) == ABSENT -> CELL(NEW, row) = value :: else fi;     /* on conflict do nothing */
                    next_row = row + 1;
                    shared[row] = false;
                    run_held = false;
                    row = 0;
                    value = 0
                }
            fi
        fi

    :: HOLDS && phase == VERIFYING ->
        d_step {                                       /* one snapshot */
            row = 0;
            alike = true;
            do
            :: row < ROWS -> alike = alike && CELL(OLD, row) == CELL(NEW, row); row++
            :: else -> break
            od;
            row = 0;
            assert(alike || missed[NEW] || !IS_ITS_OWN)
        };
        atomic {
            !run_held;
            if
            :: HOLDS && alike -> phase = SWITCHING
            :: HOLDS && !alike -> status = FAILED; mirror = NO_TABLE
            :: else
            fi;
            alike = false
        }

    :: HOLDS && phase == SWITCHING ->
        atomic { !run_held; if :: HOLDS && phase == SWITCHING -> run_held = true :: else -> goto end_claim fi };
        if
        :: losses < LOSSES -> losses++; run_held = false; goto gone
        :: sharing > 0 -> run_held = false             /* lock_timeout */
        :: atomic { sharing == 0 && !exclusive -> exclusive = true };
            atomic {
                if
#ifdef MISSED_WRITES_ARE_FORGOTTEN                     /* a mistake */
                :: physical == OLD && mirror == NEW ->
#else
                :: physical == OLD && mirror == NEW && !missed[NEW] ->
#endif
                    physical = NEW;
#ifdef NO_MIRROR_AFTER_THE_SWITCH                      /* a mistake: later writes do not reach the old table */
                    mirror = NO_TABLE;
#else
                    mirror = OLD;
#endif
                    status = COMPLETED;
                    window = true
                :: else -> status = FAILED; mirror = NO_TABLE
                fi;
                exclusive = false;
                run_held = false;
                check_that_nothing_is_lost()
            }
        fi
    od;

gone:
    atomic { my_run = 0; my_fence = 0; row = 0; value = 0; alike = false }
}

/* Staff start migrations to the same version, abort them before the switch, and roll them back within the window. */
proctype Staff() {
    byte starts = 0;
    do
    :: atomic { starts < STARTS && status != IN_PROGRESS && physical == OLD && (mirror == NO_TABLE || !missed[NEW]) ->
            starts++;
            run_id++;
            fence = 0;
            phase = PREPARING;
            status = IN_PROGRESS;
            rolled_back = false;
            /* Create a table with a new name, unless the mirror that a rollback left can be used again. */
            if
            :: mirror == NO_TABLE -> missed[NEW] = false; CELL(NEW, 0) = ABSENT; CELL(NEW, 1) = ABSENT
            :: else
            fi
        }
    :: atomic { status == IN_PROGRESS && phase != SWITCHING && !run_held -> status = FAILED; mirror = NO_TABLE }
    :: atomic { status == COMPLETED && window && physical == NEW && sharing == 0 && !exclusive -> exclusive = true };
        atomic {
            if
#ifdef NO_MIRROR_AFTER_THE_SWITCH
            :: !missed[OLD] ->
#else
            :: mirror == OLD && !missed[OLD] ->
#endif
                physical = OLD;
                mirror = NEW;
                rolled_back = true
            :: else -> window = false                  /* rejected: it would lose a write */
            fi;
            exclusive = false;
            check_that_nothing_is_lost()
        }
    :: break
    od
}

init {
    atomic {
        CELL(OLD, 0) = 1;
        acknowledged[0] = 1;
        run Writer(0);
        run Writer(1);
        run Worker();
        run Worker();
        run Staff()
    }
}

ltl every_writer_gets_on { <> (written == WRITERS * WRITES) }
ltl every_run_ends { [] (status == IN_PROGRESS -> <> (status != IN_PROGRESS)) }
