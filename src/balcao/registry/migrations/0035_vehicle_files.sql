-- A photo of a vehicle is an address, or a file of its owner. The last release writes only addresses.
ALTER TABLE registry.vehicle
    ADD COLUMN serial_number_photo_file_id uuid,
    ADD COLUMN vehicle_photo_file_id uuid,
    DROP CONSTRAINT vehicle_check,
    ADD CONSTRAINT vehicle_is_complete CHECK (deleted_at IS NOT NULL
        OR num_nulls(owner_cpf, display_name, serial_number) = 0
        AND num_nonnulls(serial_number_photo_url, serial_number_photo_file_id) > 0
        AND num_nonnulls(vehicle_photo_url, vehicle_photo_file_id) > 0) NOT VALID;
